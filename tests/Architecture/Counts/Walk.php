<?php

declare(strict_types=1);

namespace Headroom\Tests\Architecture\Counts;

/**
 * What a process did in the code of the package.
 */
final readonly class Walk
{
    /**
     * @param array<string, int> $calls by class
     * @param int $switches calls of which the nearest caller in the package is another class
     * @param list<string> $files
     */
    public function __construct(public array $calls, public int $switches, public array $files) {}

    public static function fromJson(string $json): self
    {
        /** @var array{calls: array<string, int>, switches: int, files: list<string>} $walk */
        $walk = json_decode($json, true, flags: JSON_THROW_ON_ERROR);

        return new self($walk['calls'], $walk['switches'], $walk['files']);
    }

    /** @return list<Count> */
    public function counts(string $name): array
    {
        $calls = $this->calls;
        arsort($calls);
        $tell = static fn (string $class): string => "{$class}: {$calls[$class]} calls";
        $visited = array_map($tell, array_keys($calls));

        return [
            new Count("{$name}.classes", count($calls), $visited),
            new Count("{$name}.calls", array_sum($calls), $visited),
            Count::of("{$name}.files", $this->files),
        ];
    }
}
