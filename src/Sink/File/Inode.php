<?php

declare(strict_types=1);

namespace Headroom\Sink\File;

/**
 * An open file and the name it was opened by, which may be another file's in the meantime.
 *
 * @internal
 */
final readonly class Inode
{
    /** @param resource $file */
    public static function isAt($file, string $path): bool
    {
        clearstatcache(true, $path);
        [$own, $there] = [fstat($file), @stat($path)];

        return $own !== false && $there !== false && $own['ino'] === $there['ino'] && $own['dev'] === $there['dev'];
    }

    /** The one that a file lies in: its names survive a power cut then. */
    public static function syncDirectory(string $path): bool
    {
        $directory = fopen(dirname($path), 're');

        if ($directory === false) {
            return false;
        }

        $isSynced = fsync($directory);
        fclose($directory);

        return $isSynced;
    }
}
