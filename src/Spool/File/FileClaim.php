<?php

declare(strict_types=1);

namespace Headroom\Spool\File;

use Headroom\Core\Attempt;
use Headroom\Core\Checkpoint;
use Headroom\Core\Position;
use Headroom\Sink\Source;
use Headroom\Spool\Claim;
use Headroom\Spool\Log;
use Headroom\Spool\UnableToFlush;

/**
 * @internal
 */
final readonly class FileClaim implements Claim
{
    /** @param ?UnableToFlush $obstacle what could not be made readable */
    public function __construct(
        private Source $source,
        private FileLog $log,
        private FlushLock $lock,
        private Layout $layout,
        private ?Checkpoint $checkpoint = null,
        private ?UnableToFlush $obstacle = null,
    ) {}

    public function source(): Source
    {
        return $this->source;
    }

    public function log(): Log
    {
        return $this->log;
    }

    public function release(Position $delivered): void
    {
        try {
            // Another one may flush by now, and read what this one would move.
            if (! $this->lock->isHeld()) {
                return;
            }

            foreach ((new Folder($this->layout->sealed))->segments() as $sequence) {
                if (! $this->isBehind($sequence, $delivered)) {
                    break;
                }

                $this->complete($sequence);
            }
        } finally {
            $this->lock->release();
        }

        // Only now: a slot that one user shut must not hold up the events of all others.
        if ($this->obstacle !== null) {
            throw $this->obstacle;
        }
    }

    private function isBehind(int $sequence, Position $delivered): bool
    {
        if ($sequence !== $delivered->segment) {
            return $sequence < $delivered->segment;
        }

        $file = RegularFile::open($this->layout->sealedSegment($sequence), 're');

        if ($file === false) {
            return false;
        }

        $rest = 0;

        foreach ((new Scanner($file))->read($delivered->offset) as $item) {
            $rest += $item instanceof Frame ? $item->count : 0;
        }

        fclose($file);

        return $rest === 0;
    }

    private function complete(int $sequence): void
    {
        $path = $this->layout->sealedSegment($sequence);

        $reason = '';

        if (! Attempt::run(fn (): bool => rename($path, $this->layout->completedSegment($sequence)), $reason)) {
            throw UnableToFlush::notPermitted('complete segment', $path, $reason, Permissions::ownership($path));
        }

        $this->checkpoint?->reached('segment.completed');
    }
}
