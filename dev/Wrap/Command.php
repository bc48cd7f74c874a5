<?php

declare(strict_types=1);

namespace Headroom\Dev\Wrap;

use PhpParser\Error;
use RecursiveDirectoryIterator;
use RecursiveIteratorIterator;
use SplFileInfo;

/**
 * Wraps files, or with --check says which it would change. Exit codes: 0 done, 1 --check found files to change,
 * 2 a file was left alone.
 *
 * @internal
 */
final readonly class Command
{
    /** @param list<string> $arguments */
    public function run(array $arguments): int
    {
        $isCheck = in_array('--check', $arguments, true);
        $paths = array_values(array_diff($arguments, ['--check']));

        if ($paths === []) {
            fwrite(STDERR, "usage: php dev/wrap.php [--check] PATH...\n");

            return 2;
        }

        $changed = $failed = 0;

        foreach (self::files($paths) as $file) {
            $code = (string) file_get_contents($file);

            try {
                $wrapped = (new Wrapper)->wrap($code);
            } catch (UnableToWrap|Error $e) {
                fwrite(STDERR, "{$file}: {$e->getMessage()}\n");
                $failed++;

                continue;
            }

            if ($wrapped !== $code) {
                $changed++;
                echo "{$file}\n";
            }

            if ($wrapped !== $code && ! $isCheck) {
                file_put_contents($file, $wrapped);
            }

            self::reportWide($file, $isCheck ? $code : $wrapped);
        }

        return $failed > 0 ? 2 : (int) ($isCheck && $changed > 0);
    }

    private static function reportWide(string $file, string $code): void
    {
        foreach (explode("\n", $code) as $number => $line) {
            if (mb_strlen($line) > LineBreaker::WIDTH) {
                echo $file, ':', $number + 1, ': ', mb_strlen($line), " characters\n";
            }
        }
    }

    /**
     * @param list<string> $paths
     * @return list<string>
     */
    private static function files(array $paths): array
    {
        $files = [];

        foreach ($paths as $path) {
            if (is_file($path)) {
                $files[] = $path;

                continue;
            }

            /** @var SplFileInfo $file */
            foreach (new RecursiveIteratorIterator(new RecursiveDirectoryIterator(
                $path,
                RecursiveDirectoryIterator::SKIP_DOTS,
            )) as $file) {
                if (
                    $file->getExtension() === 'php'
                    && preg_match('~/fixtures/|/golden/|/standins/|/vendor/|\.blade\.php$~', $file->getPathname()) === 0
                ) {
                    $files[] = $file->getPathname();
                }
            }
        }

        sort($files);

        return $files;
    }
}
