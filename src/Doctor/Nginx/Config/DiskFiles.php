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
        $above = $directory;

        while (! is_dir($above) && $above !== dirname($above)) {
            $above = dirname($above);
        }

        // glob() finds nothing in a directory that this user may not list or enter, and does not say so.
        if (! is_executable($above) || ($above === $directory && ! is_readable($directory))) {
            return null;
        }

        // Its own order depends on the locale; nginx sorts by bytes.
        $paths = str_contains($pattern, "\0") ? [] : (array) glob($pattern, GLOB_NOSORT);
        sort($paths, SORT_STRING);

        return array_values(array_filter($paths, is_string(...)));
    }
}
