<?php

declare(strict_types=1);

namespace Headroom\Spool\FileStore\Segment;

use Headroom\Core\FaultPoint;
use Headroom\Core\Position;
use Headroom\Spool\AppendFailure;
use Headroom\Spool\Exceptions\StorageUnavailable;
use Headroom\Spool\FileStore\BufferFile;
use Headroom\Spool\FileStore\DirectoryListing;
use Headroom\Spool\FileStore\Layout;
use Headroom\Spool\FileStore\Permissions;
use Headroom\Spool\FileStore\State\FlushLock;
use Headroom\Spool\UnableToFlush;
use Headroom\Support\FileOperation;

/**
 * The end of a claim: segments that are delivered are moved aside, and the bucket is free again.
 *
 * @internal
 */
final readonly class SegmentRetirement
{
    public function __construct(private FlushLock $lock, private Layout $layout, private ?FaultPoint $checkpoint = null) {}

    /** @throws UnableToFlush */
    public function complete(Position $delivered): void
    {
        try {
            // Another one may flush by now, and read what this one would move.
            if (! $this->lock->isHeld()) {
                return;
            }

            foreach ((new DirectoryListing($this->layout->sealed))->segments() as $sequence) {
                if (! $this->isBehind($sequence, $delivered)) {
                    break;
                }

                if (! $this->move($sequence)) {
                    break;
                }
            }
        } finally {
            $this->lock->release();
        }
    }

    private function isBehind(int $sequence, Position $delivered): bool
    {
        if ($sequence !== $delivered->segment) {
            return $sequence < $delivered->segment;
        }

        $file = BufferFile::open($this->layout->sealedSegment($sequence), 're');

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

    /** @return bool false where a full disk has no room for the new name: what is in it is delivered, and a later flush moves it */
    private function move(int $sequence): bool
    {
        $path = $this->layout->sealedSegment($sequence);

        $reason = '';

        if (! FileOperation::run(fn (): bool => rename($path, $this->layout->completedSegment($sequence)), $reason)) {
            if (in_array(AppendFailure::fromReason($reason), [AppendFailure::DiskFull, AppendFailure::DiskQuota], true)) {
                return false;
            }

            throw StorageUnavailable::notPermitted('complete segment', $path, $reason, Permissions::ownership($path));
        }

        $this->checkpoint?->reached('segment.completed');

        return true;
    }
}
