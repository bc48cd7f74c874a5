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
    /** @param bool $isSynced whether the cursor is put on disk before a segment behind it is removed */
    public function __construct(
        private Layout $layout,
        private Permissions $permissions,
        private Clock $clock,
        private bool $isSynced = false,
    ) {}

    /**
     * Whether the oldest completed segment was kept long enough. It is checked without the lock, so that most flushes
     * need not take the lock a second time.
     *
     * @param int $olderThan seconds since it was completed
     *
     * @throws UnableToFlush
     */
    public function isDue(int $olderThan): bool
    {
        $completed = $this->layout->completed;
        $oldest = is_dir($completed) ? (new DirectoryListing($completed))->segments()[0] ?? null : null;
        clearstatcache();

        return $oldest !== null
            && (int) @filectime($this->layout->completedSegment($oldest)) <= $this->completedBefore($olderThan);
    }

    /**
     * @param int $olderThan seconds since a segment was completed
     * @param ?Closure(int): void $watch gets the size of each removed segment
     * @return ?int number of removed segments; null when the bucket is being flushed
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
            return $this->removeUpTo($this->completedBefore($olderThan), $watch);
        } finally {
            $lock->release();
        }
    }

    private function completedBefore(int $olderThan): int
    {
        return intdiv($this->clock->micros(), 1_000_000) - $olderThan;
    }

    /** @return int size of all completed segments */
    public function bytes(): int
    {
        clearstatcache();

        return array_sum(array_map(
            fn (int $sequence): int => (int) @filesize($this->layout->completedSegment($sequence)),
            (new DirectoryListing($this->layout->completed))->segments(),
        ));
    }

    /** @param ?Closure(int): void $watch */
    private function removeUpTo(int $completedBefore, ?Closure $watch): int
    {
        clearstatcache();
        $removed = 0;

        // The segment of the cursor stays, because it shows the next flusher that no segment is missing. Completed
        // segments after it stay as well, because a restored database needs their events again.
        $neededFrom = (new StateFile(
            $this->layout->stateFile,
            $this->permissions,
        ))->read()->flush->progress->position->segment;

        foreach ((new DirectoryListing($this->layout->completed))->segments() as $sequence) {
            $path = $this->layout->completedSegment($sequence);

            // The rename into this directory has set the ctime, so the ctime is when the segment was completed.
            if ($sequence >= $neededFrom || @filectime($path) > $completedBefore) {
                break;
            }

            // The state may come from a process that did not sync it, because the setting may have changed since.
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
            (new DeadLetterDirectory($this->layout->dead, $this->permissions))->removeTombstonesBefore(min([
                $neededFrom,
                ...(new DirectoryListing($this->layout->completed))->segments(),
                ...(new DirectoryListing($this->layout->sealed))->segments(),
            ]));
        }

        return $removed;
    }
}
