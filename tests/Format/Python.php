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
    /**
     * Skips the test where there is no python3; fails it where CI=true.
     *
     * @param list<string> $arguments
     */
    public static function read(array $arguments): string
    {
        $python = (new ExecutableFinder)->find('python3');

        if ($python === null) {
            MissingServer::named('python3', 'The independent reader tests/Format/spool_reader.py needs python3: bin/services install python3');
        }

        return (new Process([$python, __DIR__.'/spool_reader.py', ...$arguments], timeout: 120))->mustRun()->getOutput();
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
}
