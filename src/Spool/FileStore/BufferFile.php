<?php

declare(strict_types=1);

namespace Headroom\Spool\FileStore;

use Headroom\Spool\Exceptions\ForeignFile;
use Headroom\Spool\Exceptions\StorageUnavailable;
use Headroom\Spool\UnableToFlush;
use Headroom\Support\RegularFile as Opened;

/**
 * Opens and reads the buffer's regular files through Headroom\Support\RegularFile, and makes the exception that a flush
 * throws where another kind of file is in the place of one.
 *
 * @internal
 */
final readonly class BufferFile
{
    /**
     * @param string $mode of fopen()
     *
     * @param-out string $reason
     *
     * @return resource|false
     */
    public static function open(string $path, string $mode, string &$reason = '')
    {
        return Opened::open($path, $mode, $reason);
    }

    /**
     * @param int<1, max> $maxBytes
     *
     * @param-out string $reason
     */
    public static function read(string $path, int $maxBytes, string &$reason = ''): string|false
    {
        return Opened::read($path, $maxBytes, $reason);
    }

    public static function exists(string $path): bool
    {
        return Opened::exists($path);
    }

    public static function inode(string $path): ?int
    {
        return Opened::inode($path);
    }

    public static function irregularKind(string $path): ?string
    {
        return Opened::irregularKind($path);
    }

    /** @param string $operation the operation that failed, such as "read active segment" */
    public static function refusal(string $operation, string $path, string $reason): UnableToFlush
    {
        $kind = self::irregularKind($path);

        return $kind === null
            ? StorageUnavailable::notPermitted($operation, $path, $reason, Permissions::ownership($path))
            : ForeignFile::notRegular($path, $kind);
    }
}
