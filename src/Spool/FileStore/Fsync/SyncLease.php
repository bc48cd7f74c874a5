<?php

declare(strict_types=1);

namespace Headroom\Spool\FileStore\Fsync;

use Headroom\Core\Clock;
use Headroom\Spool\FileStore\Layout;
use Headroom\Spool\FileStore\Permissions;
use Headroom\Support\PhpRestrictions;
use Headroom\Support\RegularFile;

/**
 * Shows other processes that a running worker syncs a bucket to disk. The worker holds a shared lock on a file, which
 * ends with the process. The modification time of the file is the time of the last sync.
 *
 * @internal
 */
final class SyncLease
{
    /** A check takes the lock for a moment, so a lock that is busy is tried again. */
    private const TRIES = 4;

    /** @var ?resource */
    private $file = null;

    public function __construct(
        private readonly Layout $layout,
        private readonly Permissions $permissions,
        private readonly Clock $clock,
    ) {}

    /** Takes the lock if needed and sets the time of the last sync. Called after each sync. */
    public function renew(): void
    {
        if ($this->file === null || ! $this->isInPlace()) {
            $this->open();
        }

        // Only the owner of a file may set an arbitrary time. Another user with write access may set the current time.
        if (
            $this->file !== null
            && PhpRestrictions::call('touch', $this->layout->workLock, intdiv($this->clock->micros(), 1_000_000))
                !== true
        ) {
            PhpRestrictions::call('touch', $this->layout->workLock);
        }
    }

    /** @return ?int seconds since the last sync; null when no worker runs, or when this user may not read the file */
    public static function secondsSinceSync(Layout $layout, Clock $clock): ?int
    {
        $file = RegularFile::open($layout->workLock, 're');
        $stat = $file === false ? false : fstat($file);

        if ($file === false || $stat === false) {
            return null;
        }

        $isFree = flock($file, LOCK_EX | LOCK_NB);

        // Another check may hold the lock for a moment, and only a worker holds it longer.
        for ($try = 1; ! $isFree && $try < self::TRIES; $try++) {
            $clock->sleep(500);
            $isFree = flock($file, LOCK_EX | LOCK_NB);
        }

        fclose($file);

        return ! $isFree ? max(0, intdiv($clock->micros(), 1_000_000) - $stat['mtime']) : null;
    }

    private function open(): void
    {
        $file = $this->permissions->open($this->layout->workLock, 'ce');
        $this->file = $file === false ? null : $file;

        for ($try = 1; $this->file !== null && ! flock($this->file, LOCK_SH | LOCK_NB); $try++) {
            if ($try === self::TRIES) {
                $this->file = null;
            } else {
                $this->clock->sleep(1000);
            }
        }
    }

    private function isInPlace(): bool
    {
        $stat = $this->file === null ? false : fstat($this->file);
        clearstatcache();

        return $stat !== false && @fileinode($this->layout->workLock) === $stat['ino'];
    }
}
