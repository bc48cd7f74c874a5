<?php

declare(strict_types=1);

namespace Headroom\Spool\FileStore;

use Headroom\Spool\Exceptions\ForeignFile;
use Headroom\Spool\Exceptions\StorageUnavailable;
use Headroom\Spool\UnableToFlush;
use Headroom\Support\RegularFile as Opened;

/**
 * Core's, with what a flush says where a file is none.
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
     * @param int<1, max> $most bytes
     *
     * @param-out string $reason
     */
    public static function read(string $path, int $most, string &$reason = ''): string|false
    {
        return Opened::read($path, $most, $reason);
    }

    public static function isThere(string $path): bool
    {
        return Opened::isThere($path);
    }

    public static function inode(string $path): ?int
    {
        return Opened::inode($path);
    }

    public static function strangeness(string $path): ?string
    {
        return Opened::strangeness($path);
    }

    /** @param string $what was to be done with it, such as "read slot" */
    public static function refusal(string $what, string $path, string $reason): UnableToFlush
    {
        $strangeness = self::strangeness($path);

        return $strangeness === null
            ? StorageUnavailable::notPermitted($what, $path, $reason, Permissions::ownership($path))
            : ForeignFile::notRegular($path, $strangeness);
    }
}
