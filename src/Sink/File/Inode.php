<?php

declare(strict_types=1);

namespace Headroom\Sink\File;

/**
 * Compares an open file with the path it was opened by, which may lead to another file by now.
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

    /** Syncs the directory of the file, so that the file's name survives a power cut. */
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
