<?php

declare(strict_types=1);

namespace Headroom\Spool\Monitoring;

use Headroom\Core\Position;
use Headroom\Spool\FileStore\DeadLetters\RetrySegment;
use Headroom\Spool\FileStore\Segment\Frame;
use Headroom\Spool\FileStore\Segment\SegmentInfo;
use Headroom\Spool\FileStore\Segment\SegmentReader;
use Headroom\Spool\FileStore\State\Snapshot;
use Headroom\Spool\FileStore\State\SnapshotReader;
use Headroom\Spool\UnableToFlush;
use Headroom\Support\RegularFile;

/**
 * Counts the pending events of a snapshot.
 *
 * @internal
 */
final class BacklogScan
{
    public int $events = 0;

    /** Of these, events in sealed segments. */
    public int $sealed = 0;

    /** Of these, retried dead letters in active segments. */
    public int $retriedLetters = 0;

    public int $bytes = 0;

    /** @var list<string> */
    public array $unreadable = [];

    /** Microseconds since the Unix epoch. */
    public ?int $oldest = null;

    /** Whether every file of the snapshot still existed. */
    public bool $isWhole = true;

    public function __construct(private readonly SnapshotReader $snapshots, Snapshot $snapshot)
    {
        $from = $snapshot->progress()->position;

        foreach ($snapshot->segmentsFrom($from) as $segment) {
            $this->count($segment, $segment->sequence === $from->segment ? $from : null);
        }

        $this->sealed = $this->events;

        foreach ($snapshot->activeSegments as $slot) {
            $before = $this->events;
            $this->count($slot, null);
            // A retry that was killed before it sealed its segment.
            $this->retriedLetters += RetrySegment::isRetrySegment($slot->path) ? $this->events - $before : 0;
        }
    }

    private function count(SegmentInfo $seen, ?Position $from): void
    {
        $file = $this->snapshots->open($seen);

        if ($file === null) {
            // If another file has the name now, such as the next active segment, this one was delivered and cleaned
            // away.
            if (
                RegularFile::exists($seen->path)
                && in_array(RegularFile::inode($seen->path), [$seen->inode, null], true)
            ) {
                $this->unreadable[] = $seen->path;
            } else {
                $this->isWhole = false;
            }

            return;
        }

        try {
            $this->read(new SegmentReader($file), $seen, $from);
        } catch (UnableToFlush) {
            $this->unreadable[] = $seen->path;
        } finally {
            fclose($file);
        }
    }

    /** @throws UnableToFlush */
    private function read(SegmentReader $reader, SegmentInfo $seen, ?Position $from): void
    {
        $this->bytes += $seen->size;

        foreach ($reader->read($from->offset ?? 0) as $item) {
            // A writer has appended this frame after the snapshot.
            if ($item->offset >= $seen->size) {
                break;
            }

            if ($item instanceof Frame && $item->count > 0) {
                $this->events += $item->count - ($from !== null && $item->offset === $from->offset ? $from->index : 0);
                $this->oldest = min($this->oldest ?? $item->acceptedAt, $item->acceptedAt);
            }
        }
    }
}
