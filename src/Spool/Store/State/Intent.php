<?php

declare(strict_types=1);

namespace Headroom\Spool\Store\State;

use Headroom\Core\Position;

/**
 * A range that a flush saved before it sent the range to the sink. All of it, a part or nothing may have arrived.
 *
 * @internal
 */
final readonly class Intent
{
    /**
     * @param ?Position $to the end of a range that begins at the cursor; null when none is announced
     * @param string $for fingerprint of the sink; that of the last range when no range is announced
     * @param ?Position $from start of the batch in the range: dead events before it were left out, dead events after it
     *     were sent. Null in the files of earlier versions: all dead events were left out
     * @param bool $isUnderWay the sink has the range. If no process holds the lock, the process that sent the range
     *     ended before it saved the outcome
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

    /** Withdraws the range when its end is delivered. */
    public function deliveredTo(Position $position): self
    {
        return $this->to !== null && $this->to->compare($position) > 0
            ? $this
            : new self(null, $this->for, null, $this->isUnderWay);
    }
}
