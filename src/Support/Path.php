<?php

declare(strict_types=1);

namespace Headroom\Support;

/**
 * @internal
 */
final readonly class Path
{
    /** Surely not there, as against out of this user's sight. */
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

    /** As a shell wants it; escapeshellarg() is among the functions that hosts switch off. */
    public static function quoted(string $path): string
    {
        return preg_match('~\A[\w./-]+\z~', $path) === 1 ? $path : "'".str_replace("'", "'\\''", $path)."'";
    }
}
