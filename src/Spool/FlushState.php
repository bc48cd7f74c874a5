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
     * @param ?Position $plannedFrom where that range's batch begins: what is dead before was left out, what is dead behind was handed over. Null is an earlier version's: all that is dead was left out
     * @param ?Tokens $tokens of the bucket's rate
     * @param ?Tried $tried the event at which the last flushes failed
     */
    public function __construct(
        public Progress $progress,
        public ?Position $planned = null,
        public string $plannedFor = '',
        public ?Trouble $trouble = null,
        public int $refusedInRow = 0,
        public int $replayed = 0,
        public bool $isNew = false,
        public ?Position $plannedFrom = null,
        public ?Tokens $tokens = null,
        public ?Tried $tried = null,
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

    public function planning(Delivery $delivery, string $for): self
    {
        $from = $delivery->dead === 0 ? $delivery->from : $delivery->batch->record(0)->position;

        return new self($this->progress, $delivery->to, $for, $this->trouble, $this->refusedInRow, $this->replayed, false, $from, $this->tokens, $this->tried);
    }

    /** What was begun is known not to have arrived. */
    public function unplanned(): self
    {
        return new self($this->progress, null, '', $this->trouble, $this->refusedInRow, $this->replayed, tokens: $this->tokens, tried: $this->tried);
    }

    /** @param int<0, max> $refused of the batch's records: they are dead */
    public function delivered(Delivery $delivery, int $refused = 0): self
    {
        $progress = $this->progress->advancedBy($delivery);
        $progress = $refused === 0 ? $progress : new Progress($progress->position, max(0, $progress->delivered - $refused), $progress->dead + $refused);
        $isArrival = count($delivery->batch) > 0;

        // Dead letters that are passed tell nothing of the sink, nor of a range behind them that was begun.
        $isBegun = $this->planned !== null && $this->planned->compare($delivery->to) > 0;

        return new self(
            $progress,
            $isBegun ? $this->planned : null,
            $this->plannedFor,
            trouble: $isArrival ? null : $this->trouble,
            refusedInRow: $isArrival ? 0 : $this->refusedInRow,
            replayed: $this->replayed,
            plannedFrom: $isBegun ? $this->plannedFrom : null,
            tokens: $this->tokens,
            tried: $this->tried !== null && $this->tried->position->compare($delivery->to) >= 0 ? $this->tried : null,
        );
    }

    public function asNew(): self
    {
        return new self($this->progress, $this->planned, $this->plannedFor, $this->trouble, $this->refusedInRow, $this->replayed, true, $this->plannedFrom, $this->tokens, $this->tried);
    }

    /** @param int<0, max> $inRow */
    public function refused(int $inRow): self
    {
        return new self($this->progress, $this->planned, $this->plannedFor, $this->trouble, $inRow, $this->replayed, false, $this->plannedFrom, $this->tokens, $this->tried);
    }

    /** The cursor stands elsewhere than was known here. */
    public function at(Progress $progress): self
    {
        return new self($progress, trouble: $this->trouble, refusedInRow: $this->refusedInRow, replayed: $this->replayed, tokens: $this->tokens);
    }

    /** What lies before was brought into Redis, which delivers it: a ledger that stands behind is not to get it from here. */
    public function broughtIntoRedis(Progress $progress): self
    {
        return new self($progress, plannedFor: 'redis:', trouble: $this->trouble, refusedInRow: $this->refusedInRow, replayed: $this->replayed, tokens: $this->tokens);
    }

    public function isOfRedis(): bool
    {
        return str_starts_with($this->plannedFor, 'redis:');
    }

    /**
     * An operator has set the cursor to another place.
     *
     * @param int<0, max> $twice events that will be handed over once more
     */
    public function replayedFrom(Progress $progress, int $twice): self
    {
        return new self($progress, replayed: $this->replayed + $twice, tokens: $this->tokens);
    }

    public function troubled(?Trouble $trouble): self
    {
        return new self($this->progress, $this->planned, $this->plannedFor, $trouble, $this->refusedInRow, $this->replayed, false, $this->plannedFrom, $this->tokens, $this->tried);
    }

    public function withTokens(?Tokens $tokens): self
    {
        return new self($this->progress, $this->planned, $this->plannedFor, $this->trouble, $this->refusedInRow, $this->replayed, false, $this->plannedFrom, $tokens, $this->tried);
    }

    public function withTried(?Tried $tried): self
    {
        return new self($this->progress, $this->planned, $this->plannedFor, $this->trouble, $this->refusedInRow, $this->replayed, false, $this->plannedFrom, $this->tokens, $tried);
    }
}
