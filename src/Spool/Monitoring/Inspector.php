<?php

declare(strict_types=1);

namespace Headroom\Spool\Monitoring;

use Headroom\Core\Clock;
use Headroom\Sink\Progress;
use Headroom\Spool\FileStore\DeadLetters\DeadLetterDirectory;
use Headroom\Spool\FileStore\DirectoryListing;
use Headroom\Spool\FileStore\Layout;
use Headroom\Spool\FileStore\Permissions;
use Headroom\Spool\FileStore\Segment\LockedSegment;
use Headroom\Spool\FileStore\State\LockHolder;
use Headroom\Spool\FileStore\State\Snapshot;
use Headroom\Spool\FileStore\State\SnapshotReader;
use Headroom\Spool\Status\EventCounts;
use Headroom\Support\RegularFile;

/**
 * Looks at a bucket without a lock and without changing anything, while others write and flush.
 *
 * @internal
 */
final readonly class Inspector
{
    /** A segment that is delivered and cleaned away under the scan makes it begin again. */
    private const TRIES = 5;

    private SnapshotReader $snapshots;

    public function __construct(private Layout $layout, private Permissions $permissions, private Clock $clock)
    {
        $this->snapshots = new SnapshotReader($layout, $permissions, $clock);
    }

    /**
     * @param callable(): ?Progress $ledger what the sink's ledger says now; null when the state file is the truth
     */
    public function inspect(callable $ledger): Inspection
    {
        for ($try = 1; ; $try++) {
            $snapshot = $this->snapshots->take($ledger);
            $scan = new BacklogScan($this->snapshots, $snapshot);

            // Where nothing stands still for so long, another look is none at one moment either.
            if ($scan->isWhole || ! $snapshot->isStable || $try === self::TRIES) {
                return $this->inspection($snapshot, $scan, $scan->isWhole && $snapshot->isStable);
            }
        }
    }

    /** @return list<LockedSegment> slots that somebody has locked and not written to for so many seconds */
    public function heldSlots(int $seconds): array
    {
        $held = [];

        foreach (DirectoryListing::asSeen($this->layout->active)->activeSegments() as $name) {
            $file = RegularFile::open("{$this->layout->active}/{$name}", 're');
            $stat = $file === false ? false : fstat($file);

            if ($file === false || $stat === false) {
                continue;
            }

            $idle = intdiv($this->clock->micros(), 1_000_000) - $stat['mtime'];

            // Only old ones are tried, so that no writer finds its slot busy because of a look.
            if ($idle >= $seconds && ! flock($file, LOCK_EX | LOCK_NB)) {
                $held[] = new LockedSegment($name, $idle, LockHolder::of($stat['ino']));
            }

            fclose($file);
        }

        return $held;
    }

    private function inspection(Snapshot $snapshot, BacklogScan $scan, bool $isExact): Inspection
    {
        $directory = new DeadLetterDirectory($this->layout->dead, $this->permissions, true);
        $progress = $snapshot->progress();
        $record = $snapshot->record;
        $revived = $record->revived + $scan->revived;
        // Their segments are still there, but they will not be handed over.
        $buried = $directory->buriedFrom($progress->position);
        $accepted = $record->accepted - $revived + $scan->events - $scan->sealed;
        // A database that was restored may know of fewer than have been retried since.
        $dead = max(0, $progress->dead - $revived + $buried);
        $pending = $scan->events - $buried;

        return new Inspection(
            new EventCounts(
                $accepted,
                $progress->delivered,
                $dead,
                pending: $pending,
                missing: $isExact ? $accepted - $progress->delivered - $dead - $pending : 0,
                retried: $record->flush->retried,
                replayed: $record->flush->replayed,
            ),
            $scan->oldest,
            $scan->bytes,
            $directory->count($progress->position),
            new FlushHistory($record, $this->clock->micros(), $accepted, $progress->delivered),
            [...$snapshot->unreadable, ...$scan->unreadable],
            $snapshot->isForked,
            $isExact,
        );
    }
}
