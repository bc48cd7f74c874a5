<?php

declare(strict_types=1);

namespace Headroom\Spool\Status;

/**
 * Numbers of events of a bucket. accepted = delivered + dead + dropped + pending + missing. Each number is counted
 * separately, except missing, which is the difference.
 */
final readonly class EventCounts
{
    /**
     * @param int $missing accepted events that no file contains any more: a segment was removed or damaged
     * @param int $retried events that a failed flush had sent to the sink and that are sent again
     * @param int $replayed delivered events that `spool:replay` or a restored database took back, to send them again
     * @param int $retriedLetters dead letters that `spool:retry`, `spool:replay` or a restored database took back; they
     *     no longer count as dead
     */
    public function __construct(
        public int $accepted = 0,
        public int $delivered = 0,
        public int $dead = 0,
        public int $dropped = 0,
        public int $pending = 0,
        public int $missing = 0,
        public int $retried = 0,
        public int $replayed = 0,
        public int $retriedLetters = 0,
    ) {}

    public function plus(self $other): self
    {
        return new self(
            $this->accepted + $other->accepted,
            $this->delivered + $other->delivered,
            $this->dead + $other->dead,
            $this->dropped + $other->dropped,
            $this->pending + $other->pending,
            $this->missing + $other->missing,
            $this->retried + $other->retried,
            $this->replayed + $other->replayed,
            $this->retriedLetters + $other->retriedLetters,
        );
    }
}
