<?php

declare(strict_types=1);

namespace Headroom\Spool;

use Headroom\Core\Position;
use Headroom\Sink\Delivery;
use Headroom\Sink\Progress;

/**
 * What a flusher leaves to the next one.
 *
 * @internal
 */
final readonly class FlushState
{
    /**
     * @param Progress $progress the truth for a plain sink; for one with a ledger, what the ledger said last
     * @param ?Position $planned the end of a range that was begun from the cursor and may have arrived, or part of it
     * @param string $plannedFor which sink, with which settings; where no range is begun, what the last one was for
     * @param ?Trouble $trouble null when the last flush went well
     * @param int<0, max> $refusedInRow dead letters since the sink last took a record
     * @param int<0, max> $replayed events that were handed over once more, because an operator said so
     * @param bool $isNew nothing was ever sealed here, so nothing can have been delivered from here; not written down
     */
    public function __construct(
        public Progress $progress,
        public ?Position $planned = null,
        public string $plannedFor = '',
        public ?Trouble $trouble = null,
        public int $refusedInRow = 0,
        public int $replayed = 0,
        public bool $isNew = false,
    ) {}

    public static function fresh(): self
    {
        return new self(Progress::none());
    }

    /** What was delivered last, or is being, a callback took. */
    public function isOfCallback(): bool
    {
        return str_starts_with($this->plannedFor, BucketConfig::CALLBACK.':');
    }

    public function planning(Position $end, string $for): self
    {
        return new self($this->progress, $end, $for, $this->trouble, $this->refusedInRow, $this->replayed);
    }

    /** What was begun is known not to have arrived. */
    public function unplanned(): self
    {
        return new self($this->progress, null, '', $this->trouble, $this->refusedInRow, $this->replayed);
    }

    public function delivered(Delivery $delivery): self
    {
        return new self($this->progress->advancedBy($delivery), null, $this->plannedFor, refusedInRow: count($delivery->batch) > 0 ? 0 : $this->refusedInRow, replayed: $this->replayed);
    }

    public function asNew(): self
    {
        return new self($this->progress, $this->planned, $this->plannedFor, $this->trouble, $this->refusedInRow, $this->replayed, true);
    }

    /** @param int<0, max> $inRow */
    public function refused(int $inRow): self
    {
        return new self($this->progress, $this->planned, $this->plannedFor, $this->trouble, $inRow, $this->replayed);
    }

    /** The cursor stands elsewhere than was known here. */
    public function at(Progress $progress): self
    {
        return new self($progress, trouble: $this->trouble, refusedInRow: $this->refusedInRow, replayed: $this->replayed);
    }

    public function troubled(?Trouble $trouble): self
    {
        return new self($this->progress, $this->planned, $this->plannedFor, $trouble, $this->refusedInRow, $this->replayed);
    }
}
