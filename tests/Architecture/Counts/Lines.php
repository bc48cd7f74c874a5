<?php

declare(strict_types=1);

namespace Headroom\Tests\Architecture\Counts;

use Headroom\Tests\Architecture\Files;

/**
 * How long files are, and how wide.
 */
final readonly class Lines
{
    private const TREES = [
        'src' => ['src'],
        'tests' => ['tests'],
        'benchmarks' => ['benchmarks'],
        'workbench' => ['workbench/app', 'workbench/config', 'workbench/rig', 'workbench/routes'],
        'config' => ['config'],
        'dev' => ['dev'],
    ];

    private const WIDEST = 120;

    /** @return list<Count> */
    public static function counts(): array
    {
        $lines = [];
        $wide = [];

        foreach (self::TREES as $tree => $directories) {
            [$lines[$tree], $wide[$tree]] = self::of(Files::php(...$directories));
        }

        $counts = [Count::of('wide_lines.all', array_merge(...array_values($wide)))];

        foreach ($wide as $tree => $found) {
            // Code comes to dev/ from the other trees, and brings its lines.
            $counts[] = new Count("wide_lines.{$tree}", count($found), $found, isBudgeted: $tree !== 'dev');
        }

        foreach (['src', 'tests', 'benchmarks'] as $tree) {
            $counts[] = new Count("lines.{$tree}", $lines[$tree]);
        }

        return $counts;
    }

    /**
     * @param list<string> $paths
     * @return array{int, list<string>} lines, and places of those that are too wide
     */
    private static function of(array $paths): array
    {
        $lines = 0;
        $wide = [];

        foreach ($paths as $path) {
            $code = Files::read($path);
            $lines += substr_count($code, "\n");
            array_push($wide, ...array_map(static fn (int $line): string => "{$path}:{$line}", self::wideIn($code)));
        }

        return [$lines, $wide];
    }

    /** @return list<int> numbers of the lines that are too wide */
    public static function wideIn(string $code): array
    {
        $wide = [];

        foreach (explode("\n", $code) as $number => $line) {
            if (strlen($line) > self::WIDEST && mb_strlen($line) > self::WIDEST) {
                $wide[] = $number + 1;
            }
        }

        return $wide;
    }
}
