<?php

declare(strict_types=1);

namespace Headroom\Spool\FileStore;

use Headroom\Core\Clock;
use Headroom\Core\FaultPoint;
use Headroom\Core\Position;
use Headroom\Sink\Progress;
use Headroom\Sink\Source;
use Headroom\Spool\AppendFailure;
use Headroom\Spool\Buffer;
use Headroom\Spool\Exceptions\StorageUnavailable;
use Headroom\Spool\Exceptions\UnsupportedFormat;
use Headroom\Spool\FileStore\DeadLetters\DeadLetterDirectory;
use Headroom\Spool\FileStore\Segment\CorruptRange;
use Headroom\Spool\FileStore\Segment\Frame;
use Headroom\Spool\FileStore\Segment\Sealer;
use Headroom\Spool\FileStore\Segment\SegmentChain;
use Headroom\Spool\FileStore\Segment\SegmentPaths;
use Headroom\Spool\FileStore\Segment\SegmentReader;
use Headroom\Spool\FileStore\State\FlushLock;
use Headroom\Spool\FileStore\State\StateCache;
use Headroom\Spool\FileStore\State\StateFile;
use Headroom\Spool\Store\ConsumerLease;
use Headroom\Spool\Store\LogEntries;
use Headroom\Spool\Store\MissingRange;
use Headroom\Spool\Store\State\DeliveryState;
use Headroom\Spool\UnableToFlush;
use Headroom\Support\FileOperation;
use Headroom\Support\RegularFile;

/**
 * A bucket on this disk, while this process holds its flush lock.
 *
 * @internal
 */
final class FileLease implements ConsumerLease
{
    private bool $isSealed = false;

    private ?UnableToFlush $sealFailure = null;

    /** Looked up once: while this process holds the lock, only seal() adds a segment. */
    private ?bool $hasSegments = null;

    /** Null until it is asked for, and after each change of the state file. */
    private ?DeliveryState $current = null;

    /** The end of the last event in the segment that this lease last read to its end. */
    private ?Position $readTo = null;

    private readonly SegmentChain $chain;

    /** @param ?Buffer $buffer of this process; null when the process does not write */
    public function __construct(
        private readonly Source $source,
        private readonly Layout $layout,
        private readonly FlushLock $lock,
        private readonly StateFile $state,
        private readonly DeadLetterDirectory $letters,
        private readonly Permissions $permissions,
        private readonly Clock $clock,
        private readonly StateCache $stateCache,
        private readonly bool $isSynced,
        private readonly ?Buffer $buffer = null,
        private readonly ?FaultPoint $faultPoint = null,
    ) {
        $this->chain = new SegmentChain($layout);
    }

    public function source(): Source
    {
        return $this->source;
    }

    public function letters(): DeadLetterDirectory
    {
        return $this->letters;
    }

    public function isSynced(): bool
    {
        return $this->isSynced;
    }

    /**
     * A lease seals once. A flush seals just before it reads, because each seal of a file with events makes a segment.
     */
    public function seal(): void
    {
        if ($this->isSealed) {
            return;
        }

        $this->current = null;
        $this->buffer?->releaseSegment($this->source->bucket);
        $isUnchanged = $this->stateCache->isUnchanged($this->layout->stateFile, $this->state);
        $this->sealFailure = (new Sealer(
            $this->layout,
            $this->state,
            $this->letters,
            $this->clock,
            $this->faultPoint,
            $this->isSynced,
            $isUnchanged,
        ))->sealAll();
        $this->isSealed = true;
    }

    public function read(Position $from): iterable
    {
        // A process that has taken over the bucket seals and retires segments at the same time.
        $this->state->checkLock();

        $segments = new SegmentPaths($this->layout);

        for ($sequence = max(
            1,
            $from->segment,
        ), $last = $this->state->read()->sealed; $sequence <= $last; $sequence++) {
            $path = $segments->find($sequence);

            if ($path !== null) {
                yield from $this->segment($path, $sequence, $sequence === $from->segment ? $from : null);
            } else {
                $first = $sequence;

                while ($sequence < $last && $segments->find($sequence + 1) === null) {
                    $sequence++;
                }

                // A process that has taken over the bucket may have completed and removed the segment.
                $this->state->checkLock();

                yield MissingRange::missing(
                    new Position($first, 0, 0),
                    Layout::segmentName($first),
                    Layout::segmentName($sequence),
                );
            }
        }
    }

    public function checksum(Progress $from, Position $to): string
    {
        return $this->chain->checksum($from, $to);
    }

    public function isWhole(Position $from, Position $to): bool
    {
        return $this->chain->isWhole($from, $to);
    }

    public function state(): DeliveryState
    {
        if ($this->current === null) {
            $record = $this->state->read();
            $isKnown = $record->sealed > 0 || $this->hasSegments();
            $this->current = $isKnown ? $record->flush : $record->flush->asNew();
        }

        return $this->current;
    }

    /** When only the state file is lost, segments show that the log is not new. */
    private function hasSegments(): bool
    {
        return $this->hasSegments ??= (new DirectoryListing($this->layout->sealed))->segments() !== []
            || (new DirectoryListing($this->layout->completed))->segments() !== [];
    }

    public function save(DeliveryState $state): void
    {
        $this->current = null;
        $this->state->write($this->state->read()->with($state, $this->clock->micros()));
    }

    public function close(Position $delivered): void
    {
        $this->retire($delivered);
        $agrees = $this->isSealed || $this->stateCache->isUnchanged($this->layout->stateFile, $this->state);
        $this->stateCache->remember($this->layout->stateFile, $this->state, $agrees);

        // Thrown last: a segment that this user cannot seal must not hold up the events in the others.
        if ($this->sealFailure !== null) {
            throw $this->sealFailure;
        }
    }

    /**
     * Moves the delivered segments to completed/ and releases the flush lock.
     *
     * @throws UnableToFlush
     */
    private function retire(Position $delivered): void
    {
        try {
            // Another process may have taken the lock, and may read the segments that this one would move.
            if (! $this->lock->isHeld()) {
                return;
            }

            $this->state->writeAmended();

            foreach ((new DirectoryListing($this->layout->sealed))->segments() as $sequence) {
                if (! $this->isDelivered($sequence, $delivered) || ! $this->move($sequence)) {
                    break;
                }
            }
        } finally {
            $this->lock->release();
        }
    }

    private function isDelivered(int $sequence, Position $delivered): bool
    {
        if ($sequence !== $delivered->segment) {
            return $sequence < $delivered->segment;
        }

        // A flush that read the segment to its end knows whether an event follows the cursor.
        if ($this->readTo?->segment === $sequence) {
            return $delivered->compare($this->readTo) >= 0;
        }

        $file = RegularFile::open($this->layout->sealedSegment($sequence), 're');

        if ($file === false) {
            return false;
        }

        $rest = 0;

        foreach ((new SegmentReader($file))->read($delivered->offset) as $item) {
            $rest += $item instanceof Frame ? $item->count : 0;
        }

        fclose($file);

        return $rest === 0;
    }

    /** @return bool false when a full disk has no room for the new name; a later flush moves the segment */
    private function move(int $sequence): bool
    {
        $path = $this->layout->sealedSegment($sequence);
        $reason = '';

        if (FileOperation::run(fn (): bool => rename($path, $this->layout->completedSegment($sequence)), $reason)) {
            $this->faultPoint?->reached('segment.completed');

            return true;
        }

        return in_array(AppendFailure::fromReason($reason), [AppendFailure::DiskFull, AppendFailure::DiskQuota], true)
            ? false
            : throw StorageUnavailable::notPermitted('complete segment', $path, $reason, Permissions::ownership($path));
    }

    /**
     * @param int<1, max> $sequence
     * @return iterable<LogEntries|MissingRange>
     */
    private function segment(string $path, int $sequence, ?Position $from): iterable
    {
        $reason = '';
        $file = RegularFile::open($path, 're', $reason);

        if ($file === false) {
            throw BufferFile::refusal('read segment', $path, $reason);
        }

        try {
            $end = null;

            foreach ((new SegmentReader($file))->runs($sequence, $from) as $item) {
                if ($item instanceof LogEntries) {
                    $end = $item->position(count($item->payloads), 0);

                    yield $item;
                } elseif ($item instanceof Frame && $item->type === Frame::TYPE_EVENTS && $item->count > 0) {
                    // The reader has corrected its length, which was damaged.
                    $index = $from !== null && $from->offset === $item->offset ? $from->index : 0;

                    $end = new Position($sequence, $item->end, 0);

                    yield new LogEntries(
                        $sequence,
                        [$item->offset, $item->end],
                        [$item->count],
                        [$item->acceptedAt],
                        [$item->payload],
                        $index,
                    );
                } elseif ($item instanceof CorruptRange) {
                    yield $this->missingRange($file, $item, $sequence);
                } elseif ($item->type !== Frame::TYPE_HEADER) {
                    throw UnsupportedFormat::ofFrame($path, $item->offset, $item->type);
                }
            }

            $this->readTo = $end ?? $this->readTo;
        } finally {
            fclose($file);
        }
    }

    /**
     * Copies the damaged bytes to quarantine/ once. The segment itself is never changed.
     *
     * @param resource $file
     * @param int<1, max> $sequence
     */
    private function missingRange($file, CorruptRange $range, int $sequence): MissingRange
    {
        $position = new Position($sequence, $range->offset, 0);

        if ($range->torn) {
            return MissingRange::torn($position, $range->bytes());
        }

        $copy = sprintf('%s/%020d-%020d.bin', $this->layout->quarantine, $sequence, $range->offset);
        $isKnown = file_exists($copy);

        return MissingRange::damaged(
            $position,
            $range->bytes(),
            $isKnown || $this->quarantine($file, $range, $copy) ? $copy : null,
            $isKnown,
        );
    }

    /**
     * Copies under a temporary name first, so that a copy is complete or absent. A full disk must not stop the flush:
     * the bytes are still in the segment, and the damage is reported without a copy.
     *
     * @param resource $file
     */
    private function quarantine($file, CorruptRange $range, string $copy): bool
    {
        @unlink("{$copy}.new");
        $target = $this->permissions->open("{$copy}.new", 'xe');

        if ($target === false) {
            return false;
        }

        fseek($file, $range->offset);
        $copied = @stream_copy_to_stream($file, $target, $range->bytes());
        fclose($target);

        return $copied === $range->bytes() && @rename("{$copy}.new", $copy);
    }
}
