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
 * Reads the numbers of a bucket while other processes write and flush. Takes no lock and changes nothing.
 *
 * @internal
 */
final readonly class Inspector
{
    /** The scan starts again when a segment is delivered and cleaned away during the scan. */
    private const TRIES = 5;

    private SnapshotReader $snapshots;

    public function __construct(private Layout $layout, private Permissions $permissions, private Clock $clock)
    {
        $this->snapshots = new SnapshotReader($layout, $permissions, $clock);
    }

    /**
     * @param callable(): ?Progress $ledger returns the progress in the sink's ledger; null when the state file has the
     *     progress
     */
    public function inspect(callable $ledger): Inspection
    {
        for ($try = 1; ; $try++) {
            $snapshot = $this->snapshots->take($ledger);
            $scan = new BacklogScan($this->snapshots, $snapshot);

            // When the log changes that fast, another scan would not see a single moment either.
            if ($scan->isWhole || ! $snapshot->isStable || $try === self::TRIES) {
                return $this->inspection($snapshot, $scan, $scan->isWhole && $snapshot->isStable);
            }
        }
    }

    /** @return list<LockedSegment> active segments that a process has locked and not written to for so many seconds */
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

            // Only old ones are tried, so that no writer finds its segment locked by this check.
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
        $retriedLetters = $record->retriedLetters + $scan->retriedLetters;
        // Buried events are still in their segments, but they will not be sent.
        $buried = $directory->countTombstonesFrom($progress->position);
        $accepted = $record->accepted - $retriedLetters + $scan->events - $scan->sealed;
        // A restored database may count fewer dead letters than were retried since.
        $dead = max(0, $progress->dead - $retriedLetters + $buried);
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
                retriedLetters: $retriedLetters + $record->flush->replayedLetters,
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
