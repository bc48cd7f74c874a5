<?php

declare(strict_types=1);

namespace Headroom\Spool\Store;

use Headroom\Core\Position;

/**
 * A range that a flusher announced before it handed it to the sink: it may have arrived, or part of it.
 *
 * @internal
 */
final readonly class Intent
{
    /**
     * @param ?Position $to the end of a range that begins at the cursor; null when none is announced
     * @param string $for which sink, with which settings; where no range is announced, those of the last one
     * @param ?Position $from where that range's batch begins: dead events before it were left out, dead events behind
     *                        it were handed over. Null is an earlier version's: all dead events were left out
     * @param bool $isUnderWay the sink has the range. When no process holds the lock, the one that handed it over ended
     *                         before it noted the outcome
     */
    public function __construct(
        public ?Position $to = null,
        public string $for = '',
        public ?Position $from = null,
        public bool $isUnderWay = false,
    ) {}

    /** The sink has answered. */
    public function answered(): self
    {
        return new self($this->to, $this->for, $this->from);
    }

    /** Events up to there are delivered. */
    public function deliveredTo(Position $position): self
    {
        return $this->to !== null && $this->to->compare($position) > 0
            ? $this
            : new self(null, $this->for, null, $this->isUnderWay);
    }
}
