<?php

declare(strict_types=1);

namespace Headroom\Spool\FileStore;

use Closure;
use Headroom\Core\Clock;
use Headroom\Core\Position;
use Headroom\Sink\Progress;
use Headroom\Spool\Exceptions\UnsupportedFormat;
use Headroom\Spool\FileStore\Segment\CorruptRange;
use Headroom\Spool\FileStore\Segment\Frame;
use Headroom\Spool\FileStore\Segment\FrameRun;
use Headroom\Spool\FileStore\Segment\SegmentChain;
use Headroom\Spool\FileStore\Segment\SegmentPaths;
use Headroom\Spool\FileStore\Segment\SegmentReader;
use Headroom\Spool\FileStore\State\StateFile;
use Headroom\Spool\Store\DeliveryState;
use Headroom\Spool\Store\Log;
use Headroom\Spool\Store\LogEntries;
use Headroom\Spool\Store\MissingRange;
use Headroom\Spool\Store\OffsetRange;
use Headroom\Spool\UnableToFlush;

/**
 * @internal
 */
final class FileLog implements Log
{
    private bool $isSealed = false;

    private ?UnableToFlush $obstacle = null;

    private readonly SegmentChain $chain;

    /** @param Closure(): ?UnableToFlush $seal makes what was appended readable: not before anybody wants to read it, since each seal makes a segment */
    public function __construct(
        private readonly Layout $layout,
        private readonly StateFile $state,
        private readonly Permissions $permissions,
        private readonly Clock $clock,
        private readonly Closure $seal,
    ) {
        $this->chain = new SegmentChain($layout);
    }

    public function read(Position $from): iterable
    {
        $this->sealOnce();

        // Whoever has taken over seals and completes under this one's eyes.
        $this->state->checkLock();

        $segments = new SegmentPaths($this->layout);

        for ($sequence = max(1, $from->segment), $last = $this->state->read()->sealed; $sequence <= $last; $sequence++) {
            $path = $segments->find($sequence);

            if ($path !== null) {
                yield from $this->segment($path, $sequence, $sequence === $from->segment ? $from : null);
            } else {
                $first = $sequence;

                while ($sequence < $last && $segments->find($sequence + 1) === null) {
                    $sequence++;
                }

                // Nor is it gone for one that was overtaken, when whoever did it has cleaned up.
                $this->state->checkLock();

                yield MissingRange::missing(new Position($first, 0, 0), Layout::segmentName($first), Layout::segmentName($sequence));
            }
        }
    }

    public function checksum(Progress $from, Position $to): string
    {
        // Where the other copy has delivered no more than lies here in slots, these are the same segments once they are sealed.
        $this->sealOnce();

        return $this->chain->checksum($from, $to);
    }

    public function isWhole(Position $from, Position $to): bool
    {
        return $this->chain->isWhole($from, $to);
    }

    private function sealOnce(): void
    {
        if (! $this->isSealed) {
            $this->obstacle = ($this->seal)();
            $this->isSealed = true;
        }
    }

    /** Why some of what was appended could not be made readable. */
    public function obstacle(): ?UnableToFlush
    {
        return $this->obstacle;
    }

    public function state(): DeliveryState
    {
        $record = $this->state->read();

        return $record->sealed === 0 && $this->hasNoSegment() ? $record->flush->asNew() : $record->flush;
    }

    /** Where only the state file was lost, the segments still tell what it had forgotten. */
    private function hasNoSegment(): bool
    {
        return (new DirectoryListing($this->layout->sealed))->segments() === [] && (new DirectoryListing($this->layout->completed))->segments() === [];
    }

    public function save(DeliveryState $state): void
    {
        $this->state->write($this->state->read()->with($state, $this->clock->micros()));
    }

    /**
     * @param int<1, max> $sequence
     * @return iterable<LogEntries|MissingRange>
     */
    private function segment(string $path, int $sequence, ?Position $from): iterable
    {
        $reason = '';
        $file = BufferFile::open($path, 're', $reason);

        if ($file === false) {
            throw BufferFile::refusal('read segment', $path, $reason);
        }

        try {
            foreach ((new SegmentReader($file))->runs($from->offset ?? 0) as $item) {
                // One whose length had to be mended comes by itself.
                if ($item instanceof Frame && $item->type === Frame::TYPE_EVENTS && $item->count > 0) {
                    $item = new FrameRun([$item->offset, $item->end], [$item->count], [$item->acceptedAt], [$item->payload]);
                }

                if ($item instanceof FrameRun) {
                    $index = $from !== null && $from->offset === $item->offsets[0] ? $from->index : 0;

                    yield new LogEntries(new OffsetRange($sequence, $item->offsets, $item->counts, $item->times), $index, $item->payloads);
                } elseif ($item instanceof CorruptRange) {
                    yield $this->loss($file, $item, $sequence);
                } elseif ($item->type !== Frame::TYPE_HEADER) {
                    throw UnsupportedFormat::ofFrame($path, $item->offset, $item->type);
                }
            }
        } finally {
            fclose($file);
        }
    }

    /**
     * Damage is copied aside once; the segment itself is never touched.
     *
     * @param resource $file
     * @param int<1, max> $sequence
     */
    private function loss($file, CorruptRange $gap, int $sequence): MissingRange
    {
        $position = new Position($sequence, $gap->offset, 0);

        if ($gap->torn) {
            return MissingRange::torn($position, $gap->bytes());
        }

        $copy = sprintf('%s/%020d-%020d.bin', $this->layout->quarantine, $sequence, $gap->offset);
        $isKnown = file_exists($copy);

        return MissingRange::damaged($position, $gap->bytes(), $isKnown || $this->setAside($file, $gap, $copy) ? $copy : null, $isKnown);
    }

    /**
     * Whole under its name or not there at all. A full disk must not stop the flush: the bytes are still in the segment,
     * and the loss is reported all the same.
     *
     * @param resource $file
     */
    private function setAside($file, CorruptRange $gap, string $copy): bool
    {
        @unlink("{$copy}.new");
        $target = $this->permissions->open("{$copy}.new", 'xe');

        if ($target === false) {
            return false;
        }

        fseek($file, $gap->offset);
        $copied = @stream_copy_to_stream($file, $target, $gap->bytes());
        fclose($target);

        return $copied === $gap->bytes() && @rename("{$copy}.new", $copy);
    }
}
