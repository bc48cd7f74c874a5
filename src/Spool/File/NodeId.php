<?php

declare(strict_types=1);

namespace Headroom\Spool\File;

use Headroom\Core\Checkpoint;
use Headroom\Spool\UnableToAppend;

/**
 * Names the disk that a log lies on, not the host: random, made once, kept in a file beside the buckets.
 *
 * @internal
 */
final readonly class NodeId
{
    /**
     * The first maker wins; the lock makes a crash between creating the file and filling it harmless.
     *
     * @throws UnableToAppend
     */
    public static function of(string $root, Permissions $permissions, ?Checkpoint $checkpoint = null): string
    {
        $path = "{$root}/node";
        $id = @file_get_contents($path);

        if ($id !== false && self::isValid($id)) {
            return $id;
        }

        $permissions->makeDirectory($root);
        $file = @fopen($path, 'c+e');

        if ($file === false) {
            throw UnableToAppend::nodeIdUnreadable($path, LastError::message().'. '.Permissions::ownership($path));
        }

        $checkpoint?->reached('node.opened');
        flock($file, LOCK_EX);
        $id = (string) stream_get_contents($file);

        if (! self::isValid($id)) {
            $id = bin2hex(random_bytes(16));
            ftruncate($file, 0);
            rewind($file);

            if (@fwrite($file, $id) !== strlen($id)) {
                throw UnableToAppend::nodeIdUnreadable($path, LastError::message());
            }

            @chmod($path, $permissions->file);
        }

        fclose($file);

        return $id;
    }

    public static function isValid(string $id): bool
    {
        return preg_match('/\A[0-9a-f]{32}\z/', $id) === 1;
    }
}
