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
 * Reads one slot or segment, every frame of it.
 *
 * @internal
 */
final readonly class FileCheck
{
    /** @param non-empty-list<string> $nodes ids of this disk, the one that it has now first */
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
     * @throws UnableToFlush the disk does not give the bytes
     */
    public function check($handle, SegmentInfo $file): FileReport
    {
        $report = new FileReport;
        $digest = hash_init('xxh128');
        $subject = "{$this->bucket}: {$file->name()}";
        $read = 0;
        $isAtCursor = $file->sequence === $this->cursor->segment;

        foreach ((new SegmentReader($handle))->read() as $item) {
            // Written since.
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
                // With its time: events are often equal, and copies are so to the microsecond.
                hash_update($digest, $item->acceptedAt.$item->payload);
                $this->frame($item, $file, $subject, $report);
            }
        }

        $this->findings->read(max(0, $file->size - $read));
        $report->digest = $report->events === 0 ? '' : hash_final($digest);

        return $report;
    }

    /** All of it is delivered. */
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
                ? 'They were passed over when the rest was delivered. Look at the copy in quarantine/ before this segment is cleaned away, and check that disk.'
                : 'The next flush copies them to quarantine/ and delivers what is around them. Check that disk.',
        );
    }

    /** Once per frame, of which a segment may have a million: what a small one costs is mostly spent here. */
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
                "The frame at byte {$frame->offset} is whole, but nothing that this version can read.",
                'A newer version wrote it, or another program did: flush with the newest version that wrote here.',
            );
        }

        if ($file->sequence > 0 && $file->sequence >= $this->cursor->segment) {
            $report->pending += $this->from($this->cursor, $file, $frame);
        }

        if ($file->sequence > 0 && $file->sequence >= $this->stateCursor->segment) {
            $report->pendingByState += $this->from($this->stateCursor, $file, $frame);
        }
    }

    /** The first frame of a file says whose it is. */
    private function header(Frame $frame, SegmentInfo $file, string $subject, FileReport $report): void
    {
        $header = $frame->type === Frame::TYPE_HEADER ? json_decode($frame->payload, true, 8) : null;

        if (! is_array($header)) {
            $report->wrong(
                $subject,
                'It does not begin with a header frame, so the buffer did not write it as it is.',
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
                "It says that it is of {$whose}, but lies in bucket {$this->bucket} of node {$this->nodes[0]}: somebody moved or copied it here. Its events are delivered with this bucket's.",
                $this->moveOut($file),
            );
        } elseif ($file->isActive() && ! str_starts_with($file->name(), 'u'.(is_int($uid) ? $uid : '').'-')) {
            $report->wrong(
                $subject,
                'It says that user '.$this->show($uid)
                    .' writes it, and its name says another one: somebody renamed it.',
                'Nothing is lost, but two users may write to it. Rename it to the next free number of that user while nothing is buffered.',
            );
        }
    }

    private function moveOut(SegmentInfo $file): string
    {
        return 'Find out how it came here. If it is no part of this bucket, move it out of '.dirname($file->path)
            .' before the next flush delivers it'
            .($file->isActive() ? '.' : ', and put back the segment of that number if there was one.');
    }

    private function show(mixed $value): string
    {
        return is_string($value)
            ? "'".substr((string) preg_replace('/[^\x21-\x7E]/', '?', $value), 0, 64)."'"
            : (is_int($value) ? (string) $value : 'nobody');
    }

    /** How many of the frame's events are at the cursor or behind it, in a segment that is not before it. */
    private function from(Position $cursor, SegmentInfo $file, Frame $frame): int
    {
        return match (true) {
            $file->sequence !== $cursor->segment => $frame->count,
            $frame->offset !== $cursor->offset => $frame->offset > $cursor->offset ? $frame->count : 0,
            default => max(0, $frame->count - $cursor->index),
        };
    }
}
