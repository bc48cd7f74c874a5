<?php

declare(strict_types=1);

namespace Headroom\Spool\File;

use Headroom\Spool\UnableToFlush;

/**
 * One flusher per bucket: a lock that dies with its process, so there is nothing to time out or to break.
 *
 * @internal
 */
final class FlushLock
{
    /** @param resource $file */
    private function __construct(private $file) {}

    /** @throws UnableToFlush */
    public static function acquire(Layout $layout, Permissions $permissions): ?self
    {
        $file = @fopen($layout->flushLock, 'ce');

        if ($file === false) {
            throw UnableToFlush::notPermitted('lock', $layout->flushLock, LastError::message(), Permissions::ownership($layout->flushLock));
        }

        if (! flock($file, LOCK_EX | LOCK_NB)) {
            fclose($file);

            return null;
        }

        $stat = fstat($file);
        clearstatcache();

        // Somebody removed the file while it was locked, and a third process may hold a new one of that name.
        if ($stat === false || @fileinode($layout->flushLock) !== $stat['ino']) {
            fclose($file);

            return null;
        }

        if (($stat['mode'] & 0777) !== $permissions->file) {
            @chmod($layout->flushLock, $permissions->file);
        }

        return new self($file);
    }

    public function release(): void
    {
        fclose($this->file);
    }
}
