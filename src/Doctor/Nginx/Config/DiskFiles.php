<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Config;

/**
 * @internal
 */
final readonly class DiskFiles implements ConfigFiles
{
    private const MAX_BYTES = 64 << 20;

    public function text(string $path): ?string
    {
        if (str_contains($path, "\0") || ! is_file($path) || (int) filesize($path) > self::MAX_BYTES) {
            return null;
        }

        $text = @file_get_contents($path);

        return $text === false ? null : $text;
    }

    public function matching(string $pattern): ?array
    {
        $directory = dirname(substr($pattern, 0, strcspn($pattern, '*?[')).'x');
        $exists = ! str_contains($pattern, "\0") && file_exists($directory);

        // glob() finds nothing in a directory that this user may not list or enter, and does not say so.
        if ($exists ? ! is_readable($directory) || ! is_executable($directory) : self::isHidden($directory)) {
            return null;
        }

        // Its own order depends on the locale; nginx sorts by bytes.
        $paths = $exists ? glob($pattern, GLOB_NOSORT) : [];
        $paths = $paths === false ? [] : $paths;
        sort($paths, SORT_STRING);

        return $paths;
    }

    /** Whether this user may not enter a directory above it, and so cannot know whether it exists. */
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
