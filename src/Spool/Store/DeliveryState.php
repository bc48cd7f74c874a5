<?php

declare(strict_types=1);

namespace Headroom\Spool\Store;

use Headroom\Core\Position;
use Headroom\Sink\Delivery;
use Headroom\Sink\Progress;
use Headroom\Spool\BucketConfig;

/**
 * What a flusher leaves to the next one.
 *
 * @internal
 */
final readonly class DeliveryState
{
    /**
     * @param Progress $progress the truth for a plain sink; for one with a ledger, what the ledger said last
     * @param ?Position $planned the end of a range that was begun from the cursor and may have arrived, or part of it
     * @param string $plannedFor which sink, with which settings; where no range is begun, what the last one was for
     * @param ?RetryState $trouble null when the last flush went well
     * @param int<0, max> $refusedInRow dead letters since the sink last took a record
     * @param int<0, max> $replayed events that were handed over once more, because an operator said so
     * @param bool $isNew nothing was ever sealed here, so nothing can have been delivered from here; not written down
     * @param ?Position $plannedFrom where that range's batch begins: what is dead before was left out, what is dead behind was handed over. Null is an earlier version's: all that is dead was left out
     * @param ?RateWindow $tokens of the bucket's rate
     * @param ?Attempts $tried the event at which the last flushes failed
     * @param bool $isUnderWay the range is with its sink. When nobody holds the lock, whoever handed it over did not live to note what came of it
     * @param int<0, max> $failed flushes that failed since the beginning
     * @param int<0, max> $retried events that these had handed over and are to be handed over again
     * @param ?string $left what the last flush failed of after all others of its events were delivered; nobody waits for that
     */
    public function __construct(
        public Progress $progress,
        public ?Position $planned = null,
        public string $plannedFor = '',
        public ?RetryState $trouble = null,
        public int $refusedInRow = 0,
        public int $replayed = 0,
        public bool $isNew = false,
        public ?Position $plannedFrom = null,
        public ?RateWindow $tokens = null,
        public ?Attempts $tried = null,
        public bool $isUnderWay = false,
        public int $failed = 0,
        public int $retried = 0,
        public ?string $left = null,
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

        return $this->but(planned: $delivery->to, plannedFor: $for, plannedFrom: $from, isUnderWay: true);
    }

    /** What was begun is known not to have arrived. */
    public function unplanned(): self
    {
        return $this->but(planned: null, plannedFor: '', plannedFrom: null, isUnderWay: false);
    }

    /** @param int<0, max> $refused of the batch's records: they are dead */
    public function delivered(Delivery $delivery, int $refused = 0): self
    {
        $progress = $this->progress->advancedBy($delivery);
        $progress = $refused === 0 ? $progress : new Progress($progress->position, max(0, $progress->delivered - $refused), $progress->dead + $refused, $progress->checksum);
        $isArrival = count($delivery->batch) > 0;

        // Dead letters that are passed tell nothing of the sink, nor of a range behind them that was begun.
        $isBegun = $this->planned !== null && $this->planned->compare($delivery->to) > 0;

        return $this->but(
            progress: $progress,
            planned: $isBegun ? $this->planned : null,
            trouble: $isArrival ? null : $this->trouble,
            refusedInRow: $isArrival ? 0 : null,
            plannedFrom: $isBegun ? $this->plannedFrom : null,
            tried: $this->tried !== null && $this->tried->position->compare($delivery->to) >= 0 ? $this->tried : null,
            isUnderWay: $isArrival ? false : null,
        );
    }

    public function asNew(): self
    {
        return $this->but(isNew: true);
    }

    /** @param int<0, max> $inRow */
    public function refused(int $inRow): self
    {
        return $this->but(refusedInRow: $inRow);
    }

    /** The cursor stands elsewhere than was known here. */
    public function at(Progress $progress): self
    {
        return $this->but(progress: $progress, planned: null, plannedFor: '', plannedFrom: null, tried: null, isUnderWay: false);
    }

    /** What lies before was brought into Redis, which delivers it: a ledger that stands behind is not to get it from here. */
    public function broughtIntoRedis(Progress $progress): self
    {
        return $this->at($progress)->but(plannedFor: 'redis:');
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
        return $this->at($progress)->but(trouble: null, refusedInRow: 0, replayed: $this->replayed + $twice);
    }

    public function troubled(?RetryState $trouble): self
    {
        return $this->but(trouble: $trouble, isUnderWay: false);
    }

    /**
     * Once for each flush that failed.
     *
     * @param int<0, max> $handed events that were with the sink then
     */
    public function failed(RetryState $trouble, int $handed): self
    {
        return $this->but(trouble: $trouble, isUnderWay: false, failed: $this->failed + 1, retried: $this->retried + $handed);
    }

    /** @param ?string $what null: nothing */
    public function leaving(?string $what): self
    {
        return $this->but(left: $what);
    }

    public function withTokens(?RateWindow $tokens): self
    {
        return $this->but(tokens: $tokens);
    }

    public function withTried(?Attempts $tried): self
    {
        return $this->but(tried: $tried);
    }

    /**
     * The same otherwise. False stands for what is left as it is where null means something.
     *
     * @param ?int<0, max> $refusedInRow
     * @param ?int<0, max> $replayed
     * @param ?int<0, max> $failed
     * @param ?int<0, max> $retried
     */
    private function but(
        ?Progress $progress = null,
        Position|false|null $planned = false,
        ?string $plannedFor = null,
        RetryState|false|null $trouble = false,
        ?int $refusedInRow = null,
        ?int $replayed = null,
        bool $isNew = false,
        Position|false|null $plannedFrom = false,
        RateWindow|false|null $tokens = false,
        Attempts|false|null $tried = false,
        ?bool $isUnderWay = null,
        ?int $failed = null,
        ?int $retried = null,
        string|false|null $left = false,
    ): self {
        return new self(
            $progress ?? $this->progress,
            $planned === false ? $this->planned : $planned,
            $plannedFor ?? $this->plannedFor,
            $trouble === false ? $this->trouble : $trouble,
            $refusedInRow ?? $this->refusedInRow,
            $replayed ?? $this->replayed,
            $isNew,
            $plannedFrom === false ? $this->plannedFrom : $plannedFrom,
            $tokens === false ? $this->tokens : $tokens,
            $tried === false ? $this->tried : $tried,
            $isUnderWay ?? $this->isUnderWay,
            $failed ?? $this->failed,
            $retried ?? $this->retried,
            $left === false ? $this->left : $left,
        );
    }
}
