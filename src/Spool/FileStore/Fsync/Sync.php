<?php

declare(strict_types=1);

namespace Headroom\Spool\FileStore\Fsync;

use Headroom\Support\FileOperation;
use Headroom\Support\PhpRestrictions;

/**
 * Puts a file or a directory on disk, through a handle of its own: PHP's fsync() makes a FILE of the stream, and what is
 * written to that stream later stays in the process for a while.
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
            return "{$path} can not be opened: {$reason}";
        }

        $isOnDisk = PhpRestrictions::call('fsync', $file) === true;
        fclose($file);

        return $isOnDisk ? null : self::failure('fsync', $path);
    }

    /**
     * As far as the host allows: what was promised for a power cut is refused long before this.
     *
     * @param resource $file
     */
    public static function ifAllowed($file): bool
    {
        return PhpRestrictions::call('fsync', $file) !== false;
    }

    /** PHP keeps the reason to itself. */
    public static function failure(string $call, string $path): string
    {
        return function_exists($call)
            ? "{$call}() of {$path} failed, and the kernel's log (dmesg) tells why"
            : "the host has switched {$call}() off (disable_functions), which would put {$path} on disk";
    }
}
