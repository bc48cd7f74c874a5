<?php

declare(strict_types=1);

namespace Headroom\Tests\Format;

use Headroom\Tests\Support\MissingServer;
use Symfony\Component\Process\ExecutableFinder;
use Symfony\Component\Process\Process;

/**
 * The independent reader, spool_reader.py.
 */
final class Python
{
    private static ?string $interpreter = null;

    /** @param list<string> $arguments */
    public static function read(array $arguments): string
    {
        return (new Process(self::command(__DIR__.'/spool_reader.py', ...$arguments), timeout: 120))->mustRun()
            ->getOutput();
    }

    /**
     * Skips the test where there is no python3; fails it where CI=true.
     *
     * @return list<string>
     */
    public static function command(string $script, string ...$arguments): array
    {
        return [self::$interpreter ??= self::interpreter($script), '-I', '-S', $script, ...array_values($arguments)];
    }

    /**
     * Many logs in one process.
     *
     * @param list<string> $paths at least two, of different names
     * @return array<string, list<string>> canonical lines by file name
     */
    public static function readEach(array $paths): array
    {
        $lines = [];
        $name = '';

        foreach (PackageReader::canonical(self::read($paths)) as $line) {
            if (preg_match('/\A\{"file":"(.+)"\}\z/', $line, $m) === 1) {
                $name = $m[1];
                $lines[$name] = [];
            } else {
                $lines[$name][] = $line;
            }
        }

        return $lines;
    }

    /**
     * Where python3 is a shell script that looks for the interpreter, as pyenv's is,
     * it takes ten times as long as Python.
     */
    private static function interpreter(string $script): string
    {
        $python = (new ExecutableFinder)->find('python3');

        if ($python === null) {
            MissingServer::named(
                'python3',
                "The independent reader {$script} needs python3: bin/services install python3",
            );
        }

        return trim((new Process([$python, '-c', 'import sys; print(sys.executable)']))->mustRun()->getOutput());
    }
}
