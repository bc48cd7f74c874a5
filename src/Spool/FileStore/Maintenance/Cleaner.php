<?php

declare(strict_types=1);

namespace Headroom\Spool\FileStore\Maintenance;

use Closure;
use Headroom\Core\Clock;
use Headroom\Spool\Exceptions\StorageUnavailable;
use Headroom\Spool\FileStore\DeadLetters\DeadLetterDirectory;
use Headroom\Spool\FileStore\DirectoryListing;
use Headroom\Spool\FileStore\Fsync\Sync;
use Headroom\Spool\FileStore\Layout;
use Headroom\Spool\FileStore\Permissions;
use Headroom\Spool\FileStore\State\FlushLock;
use Headroom\Spool\FileStore\State\StateFile;
use Headroom\Spool\UnableToFlush;
use Headroom\Support\FileOperation;

/**
 * Removes completed segments, the oldest first, once they have been kept long enough.
 *
 * @internal
 */
final readonly class Cleaner
{
    /** @param bool $isSynced the cursor is on disk before anything behind it is removed */
    public function __construct(private Layout $layout, private Permissions $permissions, private Clock $clock, private bool $isSynced = false) {}

    /**
     * @param int $olderThan seconds since a segment was completed
     * @param ?Closure(int): void $watch is told the bytes of each that was removed
     * @return ?int how many were removed; null when the bucket is being flushed
     *
     * @throws UnableToFlush
     */
    public function clean(int $olderThan, ?Closure $watch = null): ?int
    {
        if (! is_dir($this->layout->completed)) {
            return 0;
        }

        $lock = FlushLock::acquire($this->layout, $this->permissions, $this->clock);

        if ($lock === null) {
            return null;
        }

        try {
            return $this->removeUpTo(intdiv($this->clock->micros(), 1_000_000) - $olderThan, $watch);
        } finally {
            $lock->release();
        }
    }

    /** What clean() has to look at. */
    public function bytes(): int
    {
        clearstatcache();

        return array_sum(array_map(fn (int $sequence): int => (int) @filesize($this->layout->completedSegment($sequence)), (new DirectoryListing($this->layout->completed))->segments()));
    }

    /** @param ?Closure(int): void $watch */
    private function removeUpTo(int $completedBefore, ?Closure $watch): int
    {
        clearstatcache();
        $removed = 0;

        // The segment in which the cursor stands tells the next flusher that nothing is missing, and a database that was
        // restored needs again what was completed already.
        $neededFrom = (new StateFile($this->layout->stateFile, $this->permissions))->read()->flush->progress->position->segment;

        foreach ((new DirectoryListing($this->layout->completed))->segments() as $sequence) {
            $path = $this->layout->completedSegment($sequence);

            // The rename into this directory was the last change of the inode.
            if ($sequence >= $neededFrom || @filectime($path) > $completedBefore) {
                break;
            }

            // Written by a process that did not sync it, perhaps: the setting may have changed since.
            $failure = $this->isSynced && $removed === 0 ? Sync::path($this->layout->stateFile) : null;

            if ($failure !== null) {
                throw StorageUnavailable::notOnDisk($failure);
            }

            $bytes = $watch === null ? 0 : (int) @filesize($path);
            $reason = '';

            if (! FileOperation::run(static fn (): bool => unlink($path), $reason)) {
                throw StorageUnavailable::notPermitted('remove', $path, $reason, Permissions::ownership($path));
            }

            $removed++;
            $watch?->__invoke($bytes);
        }

        if ($removed > 0) {
            (new DeadLetterDirectory($this->layout->dead, $this->permissions))->weed(min([$neededFrom, ...(new DirectoryListing($this->layout->completed))->segments(), ...(new DirectoryListing($this->layout->sealed))->segments()]));
        }

        return $removed;
    }
}
