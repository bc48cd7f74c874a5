<?php

declare(strict_types=1);

namespace Headroom\Spool\FileStore\Fsync;

use Headroom\Core\Clock;
use Headroom\Spool\FileStore\BufferFile;
use Headroom\Spool\FileStore\Layout;
use Headroom\Spool\FileStore\Permissions;
use Headroom\Support\PhpRestrictions;

/**
 * Tells that a worker lives which puts a bucket on disk: it holds a shared lock, which dies with it. The file's time is
 * that of the last time it did.
 *
 * @internal
 */
final class SyncLease
{
    /** A look at the lock takes it for a moment. */
    private const TRIES = 4;

    /** @var ?resource */
    private $file = null;

    public function __construct(private readonly Layout $layout, private readonly Permissions $permissions, private readonly Clock $clock) {}

    /** As often as there is something to tell. */
    public function hold(): void
    {
        if ($this->file === null || ! $this->isInPlace()) {
            $this->open();
        }

        // Only its owner may say which time; whoever else may write to it can say "now".
        if ($this->file !== null && PhpRestrictions::call('touch', $this->layout->workLock, intdiv($this->clock->micros(), 1_000_000)) !== true) {
            PhpRestrictions::call('touch', $this->layout->workLock);
        }
    }

    /** @return ?int seconds since the bucket was last put on disk; null when no worker lives, or none that this user may see */
    public static function secondsSinceSync(Layout $layout, Clock $clock): ?int
    {
        $file = BufferFile::open($layout->workLock, 're');
        $stat = $file === false ? false : fstat($file);

        if ($file === false || $stat === false) {
            return null;
        }

        $isFree = flock($file, LOCK_EX | LOCK_NB);

        // Another look may hold it, for a moment.
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
