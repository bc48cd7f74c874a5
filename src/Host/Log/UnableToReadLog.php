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
            "{$file} cannot be opened: {$reason}. Name a file that this user may read; logs often belong to root or to"
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
        return new self("{$file} is a link, a pipe or a device. Name a regular file.", $file);
    }

    public static function failed(string $file, int $position, string $reason): self
    {
        return new self(
            "Reading {$file} failed at byte {$position}: {$reason}. The lines before it were read."
                .' Check the disk and try again.',
            $file,
        );
    }

    public static function corrupt(string $file, int $position): self
    {
        return new self(
            "{$file} is not whole gzip data: it cannot be unpacked near byte {$position}."
                .' The lines before it were read; test a copy with `gzip -t`.',
            $file,
        );
    }

    public static function cutShort(string $file, int $position): self
    {
        return new self(
            "{$file} ends in the middle of its gzip data, after {$position} bytes. The lines before it were read;"
                .' run the command again if the file is still being written or copied.',
            $file,
        );
    }

    public static function notSetAside(int $count, string $directory, string $reason): self
    {
        return new self(
            "The requests of one second do not fit into memory, and only {$count} of them could be written to"
                ." {$directory}: {$reason}. Free space there, or name another directory:"
                .' TMPDIR=DIRECTORY headroom ...',
            $directory,
        );
    }

    public static function missingZlib(string $file): self
    {
        return new self(
            "{$file} is gzipped, and the PHP extension zlib is not loaded. Unpack it in a pipe:"
                .' zcat FILE | headroom ... -',
            $file,
        );
    }

    /**
     * The reason of PHP's last warning, without the name of the function and the file: "permission denied" of
     * "fopen(NAME): Failed to open stream: Permission denied".
     */
    public static function lastReason(): string
    {
        return strtolower(
            trim((string) preg_replace('/^.*: /s', '', error_get_last()['message'] ?? 'no reason was given')),
        );
    }
}
