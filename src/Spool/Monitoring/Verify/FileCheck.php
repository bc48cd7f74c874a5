<?php

declare(strict_types=1);

namespace Headroom\Spool\Monitoring\Verify;

use Headroom\Core\Position;
use Headroom\Spool\FileStore\Segment\CorruptRange;
use Headroom\Spool\FileStore\Segment\Frame;
use Headroom\Spool\FileStore\Segment\SegmentInfo;
use Headroom\Spool\FileStore\Segment\SegmentReader;
use Headroom\Spool\UnableToFlush;

use function hash_update;
use function substr_count;

/**
 * Reads every frame of one segment, active or sealed.
 *
 * @internal
 */
final readonly class FileCheck
{
    /** @param non-empty-list<string> $nodes ids of this disk, the current one first */
    public function __construct(
        private array $nodes,
        private string $bucket,
        private Position $cursor,
        private Position $stateCursor,
        private Findings $findings,
    ) {}

    /**
     * @param resource $handle
     *
     * @throws UnableToFlush the disk does not return the bytes
     */
    public function check($handle, SegmentInfo $file): FileReport
    {
        $report = new FileReport;
        $digest = hash_init('xxh128');
        $subject = "{$this->bucket}: {$file->name()}";
        $read = 0;
        $isAtCursor = $file->sequence === $this->cursor->segment;

        foreach ((new SegmentReader($handle))->read() as $item) {
            // A writer has appended this frame after the snapshot.
            if ($item->offset >= $file->size) {
                break;
            }

            if ($item->end - $read >= 1_048_576) {
                $this->findings->read($item->end - $read);
                $read = $item->end;
            }

            if ($isAtCursor && $this->isAt($item)) {
                $report->hasCursor = true;
            }

            if ($item instanceof CorruptRange) {
                $this->gap($item, $file, $subject, $report);
            } else {
                // Includes the time: events are often equal, but only copies are equal to the microsecond.
                hash_update($digest, $item->acceptedAt.$item->payload);
                $this->frame($item, $file, $subject, $report);
            }
        }

        $this->findings->read(max(0, $file->size - $read));
        $report->digest = $report->events === 0 ? '' : hash_final($digest);

        return $report;
    }

    /** Whether all events of the file are delivered. */
    public function isBehind(SegmentInfo $file): bool
    {
        return ! $file->isActive() && $file->sequence < $this->cursor->segment;
    }

    private function isAt(Frame|CorruptRange $item): bool
    {
        return ($item->offset === $this->cursor->offset
            && $this->cursor->index < ($item instanceof Frame ? max(1, $item->count) : 1))
            || ($item->end === $this->cursor->offset && $this->cursor->index === 0);
    }

    private function gap(CorruptRange $gap, SegmentInfo $file, string $subject, FileReport $report): void
    {
        if ($gap->torn) {
            $report->torn++;

            return;
        }

        $report->damaged++;
        $isBehind = $this->isBehind($file)
            || ($file->sequence === $this->cursor->segment && $gap->end <= $this->cursor->offset);
        $report->wrong(
            $subject,
            "{$gap->bytes()} bytes from byte {$gap->offset} on are damaged; acknowledged events may be among them.",
            $isBehind
                ? 'They were skipped when the rest was delivered. Examine the copy in quarantine/ before this segment'
                    .' is cleaned away, and check that disk.'
                : 'The next flush copies them to quarantine/ and delivers the events around them. Check that disk.',
        );
    }

    /** Called once per frame. A segment may have a million frames, so most of the time for small ones is spent here. */
    private function frame(Frame $frame, SegmentInfo $file, string $subject, FileReport $report): void
    {
        $report->frames++;
        $report->events += $frame->count;

        if ($frame->offset === 0) {
            $this->header($frame, $file, $subject, $report);
        }

        if (
            $frame->type !== Frame::TYPE_HEADER
            && ($frame->type !== Frame::TYPE_EVENTS || substr_count($frame->payload, "\n") + 1 !== $frame->count)
        ) {
            $report->wrong(
                $subject,
                "The frame at byte {$frame->offset} is complete, but this version cannot read it.",
                'A newer version or another program wrote it. Flush with the newest version that wrote here.',
            );
        }

        if ($file->sequence > 0 && $file->sequence >= $this->cursor->segment) {
            $report->pending += $this->from($this->cursor, $file, $frame);
        }

        if ($file->sequence > 0 && $file->sequence >= $this->stateCursor->segment) {
            $report->pendingByState += $this->from($this->stateCursor, $file, $frame);
        }
    }

    /** Checks the first frame of a file, which names the node, the bucket and the user. */
    private function header(Frame $frame, SegmentInfo $file, string $subject, FileReport $report): void
    {
        $header = $frame->type === Frame::TYPE_HEADER ? json_decode($frame->payload, true, 8) : null;

        if (! is_array($header)) {
            $report->wrong(
                $subject,
                'It does not begin with a header frame, so it was changed, or the buffer did not write it.',
                $this->moveOut($file),
            );

            return;
        }

        $node = $header['node'] ?? null;
        $bucket = $header['bucket'] ?? null;
        $uid = $header['uid'] ?? null;

        if (! in_array($node, $this->nodes, true) || $bucket !== $this->bucket) {
            $whose = 'bucket '.$this->show($bucket).' of node '.$this->show($node);
            $report->wrong(
                $subject,
                "Its header names {$whose}, but it is in bucket {$this->bucket} of node {$this->nodes[0]}: it was"
                    .' moved or copied here. Its events are delivered with those of this bucket.',
                $this->moveOut($file),
            );
        } elseif ($file->isActive() && ! str_starts_with($file->name(), 'u'.(is_int($uid) ? $uid : '').'-')) {
            $report->wrong(
                $subject,
                'Its header names user '.$this->show($uid).', and its name another user: it was renamed.',
                'No event is lost, but two users may write to it. Rename it to the next free number of that user'
                    .' while no events are buffered.',
            );
        }
    }

    private function moveOut(SegmentInfo $file): string
    {
        return 'If it does not belong to this bucket, move it out of '.dirname($file->path)
            .' before the next flush delivers it'
            .($file->isActive() ? '.' : ', and restore the segment with that number if there was one.');
    }

    private function show(mixed $value): string
    {
        return is_string($value)
            ? "'".substr((string) preg_replace('/[^\x21-\x7E]/', '?', $value), 0, 64)."'"
            : (is_int($value) ? (string) $value : 'unknown');
    }

    /** Returns how many of the frame's events are at or after the cursor. The segment must not be before the cursor. */
    private function from(Position $cursor, SegmentInfo $file, Frame $frame): int
    {
        return match (true) {
            $file->sequence !== $cursor->segment => $frame->count,
            $frame->offset !== $cursor->offset => $frame->offset > $cursor->offset ? $frame->count : 0,
            default => max(0, $frame->count - $cursor->index),
        };
    }
}
