<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Config;

/**
 * @internal
 */
final readonly class DiskFiles implements ConfigFiles
{
    private const MAX_BYTES = 64 << 20;

    private const GROWTH_BYTES = 64 << 10;

    public function text(string $path): string
    {
        if (str_contains($path, "\0") || ! file_exists($path)) {
            // Also what is in a directory that this user may not enter.
            throw self::isHidden($path) ? UnableToRead::denied($path) : UnableToRead::missing();
        }

        if (! is_file($path)) {
            throw UnableToRead::notAFile();
        }

        $size = (int) filesize($path);

        if ($size > self::MAX_BYTES) {
            throw UnableToRead::tooLarge($size, self::MAX_BYTES);
        }

        // It may be gone, or closed to us, since the look, or longer by what somebody is writing.
        // PHP takes memory for all that it may read.
        $text = @file_get_contents($path, false, null, 0, $size + self::GROWTH_BYTES);

        return $text === false ? throw UnableToRead::denied($path) : $text;
    }

    public function matching(string $pattern): array
    {
        if (str_contains($pattern, "\0")) {
            return [];
        }

        // glob() says nothing of a directory that it may not list.
        $directory = dirname(substr($pattern, 0, strcspn($pattern, '*?[')).'x');

        if ((is_dir($directory) && ! is_readable($directory)) || self::isHidden($directory)) {
            throw UnableToRead::deniedDirectory($directory);
        }

        // Its own order depends on the locale, and nginx has none.
        $paths = glob($pattern, GLOB_NOSORT);

        if ($paths === false) {
            return [];
        }

        sort($paths, SORT_STRING);

        return $paths;
    }

    /** Whether a directory above it may not be entered, so that nobody can tell whether it is there. */
    private static function isHidden(string $path): bool
    {
        for ($above = dirname($path); $above !== '.' && $above !== dirname($above); $above = dirname($above)) {
            if (is_dir($above)) {
                return ! is_executable($above);
            }
        }

        return false;
    }
}
