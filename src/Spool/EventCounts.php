<?php

declare(strict_types=1);

namespace Headroom\Spool;

/**
 * Events of a bucket. accepted = delivered + dead + dropped + pending + missing, each counted on its own but missing.
 */
final readonly class EventCounts
{
    /**
     * @param int $missing accepted, but nowhere to be found: a segment was removed or damaged
     * @param int $retried that a failed flush had handed over and that are, or were, handed over again
     * @param int $replayed that were handed over once more because an operator asked for it
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
        );
    }
}
