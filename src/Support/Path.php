<?php

declare(strict_types=1);

namespace Headroom\Support;

/**
 * Questions about a path, and its form for a shell.
 *
 * @internal
 */
final readonly class Path
{
    /** True only if the path does not exist. False if this user cannot see whether it does. */
    public static function isAbsent(string $path): bool
    {
        clearstatcache();

        if (PhpRestrictions::hide($path) || @file_exists($path)) {
            return false;
        }

        while (! @file_exists($path) && $path !== dirname($path)) {
            $path = dirname($path);
        }

        return ! @is_dir($path) || @is_executable($path);
    }

    /** Quotes the path for a shell, without escapeshellarg(), which some hosts disable. */
    public static function quoted(string $path): string
    {
        return preg_match('~\A[\w./-]+\z~', $path) === 1 ? $path : "'".str_replace("'", "'\\''", $path)."'";
    }
}
