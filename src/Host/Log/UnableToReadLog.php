<?php

declare(strict_types=1);

namespace Headroom\Host\Log;

use Headroom\Core\Permanent;
use RuntimeException;

/**
 * @internal
 */
final class UnableToReadLog extends RuntimeException implements Permanent
{
    private function __construct(string $message, public readonly string $log)
    {
        parent::__construct($message);
    }

    public static function notOpened(string $file, string $reason): self
    {
        return new self(
            "{$file} can not be opened: {$reason}. Name a file that this user may read; logs often belong to root or to"
                .' the group adm.',
            $file,
        );
    }

    public static function directory(string $file): self
    {
        return new self("{$file} is a directory. Name the files in it, such as {$file}/*.log*.", $file);
    }

    public static function notAFile(string $file): self
    {
        return new self("{$file} is no file of its own: a link, a pipe or a device, which is not read.", $file);
    }

    public static function failed(string $file, int $position, string $reason): self
    {
        return new self(
            "Reading {$file} failed at byte {$position}: {$reason}. What was read before counts;"
                .' look at the disk and try again.',
            $file,
        );
    }

    public static function corrupt(string $file, int $position): self
    {
        return new self(
            "{$file} is not whole gzip data: it can not be unpacked near byte {$position}. What was read before counts;"
                .' `gzip -t` tells whether a copy is better.',
            $file,
        );
    }

    public static function cutShort(string $file, int $position): self
    {
        return new self(
            "{$file} ends in the middle of its gzip data, after {$position} bytes. What was read before counts;"
                .' it may still be being written or copied.',
            $file,
        );
    }

    public static function notSetAside(int $count, string $directory, string $reason): self
    {
        return new self(
            "The log has a second of so many requests that they do not fit into memory, and only {$count} of them could"
                ." be set aside in {$directory}: {$reason}. Make room there, or name another directory:"
                .' TMPDIR=DIRECTORY headroom ...',
            $directory,
        );
    }

    public static function missingZlib(string $file): self
    {
        return new self(
            "{$file} is gzipped, and the PHP extension zlib is not loaded. Unpack it on the way:"
                .' zcat FILE | headroom ... -',
            $file,
        );
    }

    /**
     * Why PHP could not do what was tried last: "fopen(NAME): Failed to open stream: Permission denied" tells it once.
     */
    public static function lastReason(): string
    {
        return strtolower(
            trim((string) preg_replace('/^.*: /s', '', error_get_last()['message'] ?? 'no reason was given')),
        );
    }
}
