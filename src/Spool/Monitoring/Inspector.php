<?php

declare(strict_types=1);

namespace Headroom\Spool\Monitoring;

use Headroom\Core\Clock;
use Headroom\Core\Position;
use Headroom\Sink\Progress;
use Headroom\Spool\FileStore\BufferFile;
use Headroom\Spool\FileStore\DeadLetters\DeadLetterDirectory;
use Headroom\Spool\FileStore\DeadLetters\Redrive;
use Headroom\Spool\FileStore\DirectoryListing;
use Headroom\Spool\FileStore\Layout;
use Headroom\Spool\FileStore\Permissions;
use Headroom\Spool\FileStore\Segment\Frame;
use Headroom\Spool\FileStore\Segment\LockedSegment;
use Headroom\Spool\FileStore\Segment\SegmentInfo;
use Headroom\Spool\FileStore\Segment\SegmentReader;
use Headroom\Spool\FileStore\State\LockHolder;
use Headroom\Spool\FileStore\State\Snapshot;
use Headroom\Spool\FileStore\State\SnapshotReader;
use Headroom\Spool\UnableToFlush;

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
            $tally = new EventCount;
            $isWhole = $this->scan($snapshot, $tally);

            // Where nothing stands still for so long, another look is none at one moment either.
            if ($isWhole || ! $snapshot->isStable || $try === self::TRIES) {
                return $this->inspection($snapshot, $tally, $isWhole && $snapshot->isStable);
            }
        }
    }

    /** @return list<LockedSegment> slots that somebody has locked and not written to for so many seconds */
    public function heldSlots(int $seconds): array
    {
        $held = [];

        foreach (DirectoryListing::asSeen($this->layout->active)->slots() as $name) {
            $file = BufferFile::open("{$this->layout->active}/{$name}", 're');
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

    /** @return bool whether everything was still there */
    private function scan(Snapshot $snapshot, EventCount $tally): bool
    {
        $from = $snapshot->progress()->position;
        $isWhole = true;

        foreach ($snapshot->segmentsFrom($from) as $segment) {
            $isWhole = $this->count($segment, $segment->sequence === $from->segment ? $from : null, $tally) && $isWhole;
        }

        $tally->sealed = $tally->events;

        foreach ($snapshot->slots as $slot) {
            $before = $tally->events;
            $isWhole = $this->count($slot, null, $tally) && $isWhole;
            // A retry that was killed before its seal.
            $tally->revived += Redrive::isSlot($slot->path) ? $tally->events - $before : 0;
        }

        return $isWhole;
    }

    private function inspection(Snapshot $snapshot, EventCount $tally, bool $isExact): Inspection
    {
        $letters = new DeadLetterDirectory($this->layout->dead, $this->permissions, true);
        $progress = $snapshot->progress();
        $revived = $snapshot->record->revived + $tally->revived;
        // Their segments are still there, but they will not be handed over.
        $buried = $letters->buriedFrom($progress->position);

        return new Inspection(
            accepted: $snapshot->record->accepted - $revived + $tally->events - $tally->sealed,
            progress: $progress,
            pending: $tally->events - $buried,
            oldestAcceptedAt: $tally->oldest,
            bytes: $tally->bytes,
            damaged: count(DirectoryListing::asSeen($this->layout->quarantine)->names()),
            // A database that was restored may know of fewer than have been retried since.
            dead: max(0, $progress->dead - $revived + $buried),
            letters: $letters->count($progress->position),
            record: $snapshot->record,
            unreadable: [...$snapshot->unreadable, ...$tally->unreadable],
            isForked: $snapshot->isForked,
            isExact: $isExact,
        );
    }

    private function count(SegmentInfo $seen, ?Position $from, EventCount $tally): bool
    {
        $file = $this->snapshots->open($seen);

        if ($file === null) {
            // Another one may have its name by now, as the next slot does: then this one was delivered and cleaned away.
            $isThere = BufferFile::isThere($seen->path) && in_array(BufferFile::inode($seen->path), [$seen->inode, null], true);

            if ($isThere) {
                $tally->unreadable[] = $seen->path;
            }

            return $isThere;
        }

        try {
            $this->tally(new SegmentReader($file), $seen, $from, $tally);
        } catch (UnableToFlush) {
            $tally->unreadable[] = $seen->path;
        } finally {
            fclose($file);
        }

        return true;
    }

    /** @throws UnableToFlush */
    private function tally(SegmentReader $scanner, SegmentInfo $seen, ?Position $from, EventCount $tally): void
    {
        $tally->bytes += $seen->size;

        foreach ($scanner->read($from->offset ?? 0) as $item) {
            // Written since.
            if ($item->offset >= $seen->size) {
                break;
            }

            if ($item instanceof Frame && $item->count > 0) {
                $done = $from !== null && $item->offset === $from->offset ? $from->index : 0;
                $tally->add($item->count - $done, $item->acceptedAt);
            }
        }
    }
}
