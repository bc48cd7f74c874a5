<?php

declare(strict_types=1);

namespace Headroom\Tests\Support\Documents;

use Headroom\Tests\Architecture\Files;

/**
 * The environment variables that the package's code and configuration name.
 */
final class Environment
{
    /** @var array<string, true>|null */
    private static ?array $read = null;

    public static function isRead(string $name): bool
    {
        return isset((self::$read ??= self::read())[$name]);
    }

    /** @return array<string, true> */
    private static function read(): array
    {
        $read = [];

        foreach (['config', 'src', 'dev', 'bin', 'benchmarks'] as $directory) {
            foreach (Files::code($directory) as $path) {
                preg_match_all('/\b(?:SPOOL|HEADROOM)_[A-Z_]*[A-Z]\b/', Files::read($path), $names);
                $read += array_fill_keys($names[0], true);
            }
        }

        return $read;
    }
}
