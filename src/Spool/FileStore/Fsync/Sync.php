<?php

declare(strict_types=1);

namespace Headroom\Spool\FileStore\Fsync;

use Headroom\Support\FileOperation;
use Headroom\Support\PhpRestrictions;

/**
 * Puts a file or a directory on disk, through a handle of its own. PHP's fsync() casts its stream to a C FILE, and
 * later writes to that stream stay in the process's buffer for a while.
 *
 * @internal
 */
final readonly class Sync
{
    /** @return ?string why it is not on disk, with its path; null when it is */
    public static function path(string $path): ?string
    {
        $reason = '';
        $file = FileOperation::run(static fn () => fopen($path, 're'), $reason);

        if ($file === false) {
            return "{$path} cannot be opened: {$reason}";
        }

        $isOnDisk = PhpRestrictions::call('fsync', $file) === true;
        fclose($file);

        return $isOnDisk ? null : self::failure('fsync', $path);
    }

    /**
     * Syncs a file if the host allows fsync(). On other hosts an append with `durability` = `power` is refused before
     * it writes.
     *
     * @param resource $file
     */
    public static function ifAllowed($file): bool
    {
        return PhpRestrictions::call('fsync', $file) !== false;
    }

    /** Says where to find the reason: PHP does not report errno of these calls. */
    public static function failure(string $call, string $path): string
    {
        return function_exists($call)
            ? "{$call}() of {$path} failed; the kernel's log (dmesg) has the reason"
            : "{$path} could not be put on disk: the host has disabled {$call}() (disable_functions)";
    }
}
