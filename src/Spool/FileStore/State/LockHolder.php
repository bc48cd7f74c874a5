<?php

declare(strict_types=1);

namespace Headroom\Spool\FileStore\State;

use Headroom\Support\PhpRestrictions;

/**
 * Finds the process that has locked a file, in /proc/locks (proc(5)).
 *
 * @internal
 */
final readonly class LockHolder
{
    /** @return ?int its pid; null when no process has locked the file, or the system does not report it */
    public static function of(int $inode): ?int
    {
        $lines = PhpRestrictions::call('file', '/proc/locks');

        foreach (is_array($lines) ? array_filter($lines, is_string(...)) : [] as $line) {
            if (
                preg_match('/ FLOCK +ADVISORY +WRITE +(\d+) +[0-9a-f]+:[0-9a-f]+:(\d+) /', $line, $m) === 1
                && (int) $m[2] === $inode
                && (int) $m[1] > 0
            ) {
                return (int) $m[1];
            }
        }

        return null;
    }
}
