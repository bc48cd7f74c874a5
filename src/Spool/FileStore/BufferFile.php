<?php

declare(strict_types=1);

namespace Headroom\Spool\FileStore;

use Headroom\Spool\Exceptions\ForeignFile;
use Headroom\Spool\Exceptions\StorageUnavailable;
use Headroom\Spool\UnableToFlush;
use Headroom\Support\RegularFile;

/**
 * Makes the exception that a flush throws when it cannot open one of the buffer's files.
 *
 * @internal
 */
final readonly class BufferFile
{
    /** @param string $operation the operation that failed, such as "read active segment" */
    public static function refusal(string $operation, string $path, string $reason): UnableToFlush
    {
        $kind = RegularFile::irregularKind($path);

        return $kind === null
            ? StorageUnavailable::notPermitted($operation, $path, $reason, Permissions::ownership($path))
            : ForeignFile::notRegular($path, $kind);
    }
}
