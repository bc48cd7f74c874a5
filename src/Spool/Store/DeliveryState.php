<?php

declare(strict_types=1);

namespace Headroom\Spool\Store;

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
     * @param ?RetryState $trouble null when the last flush went well
     * @param int<0, max> $refusedInRow dead letters since the sink last took a record
     * @param int<0, max> $replayed events that were handed over once more because an operator asked for it
     * @param bool $isNew nothing was ever sealed here, so nothing can have been delivered from here; not written down
     * @param ?RateWindow $tokens of the bucket's rate
     * @param ?Attempts $tried the event at which the last flushes failed
     * @param int<0, max> $failed flushes that failed since the beginning
     * @param int<0, max> $retried events that these had handed over and that have to be handed over again
     * @param ?string $left why the last flush failed after it had delivered all its other events;
     *     nothing waits for that
     */
    public function __construct(
        public Progress $progress,
        public Intent $intent = new Intent,
        public ?RetryState $trouble = null,
        public int $refusedInRow = 0,
        public int $replayed = 0,
        public bool $isNew = false,
        public ?RateWindow $tokens = null,
        public ?Attempts $tried = null,
        public int $failed = 0,
        public int $retried = 0,
        public ?string $left = null,
    ) {}

    public static function fresh(): self
    {
        return new self(Progress::none());
    }

    /** A callback took the last delivery, or takes the current one. */
    public function isOfCallback(): bool
    {
        return str_starts_with($this->intent->for, BucketConfig::CALLBACK.':');
    }

    public function planning(Delivery $delivery, string $for): self
    {
        $from = $delivery->dead === 0 ? $delivery->from : $delivery->batch->record(0)->position;

        return $this->with(['intent' => new Intent($delivery->to, $for, $from, true)]);
    }

    /** The announced range is known not to have arrived. */
    public function unplanned(): self
    {
        return $this->with(['intent' => new Intent]);
    }

    /** @param int<0, max> $refused of the batch's records: they are dead */
    public function delivered(Delivery $delivery, int $refused = 0): self
    {
        $progress = $this->progress->advancedBy($delivery);
        $progress = $refused === 0 ? $progress : new Progress(
            $progress->position,
            max(0, $progress->delivered - $refused),
            $progress->dead + $refused,
            $progress->checksum,
        );
        // Dead letters that are passed tell nothing of the sink, nor of a range behind them that was announced.
        $intent = $this->intent->deliveredTo($delivery->to);
        $isTried = $this->tried !== null && $this->tried->position->compare($delivery->to) >= 0;
        $passed = $this->with([
            'progress' => $progress,
            'intent' => $intent,
            'tried' => $isTried ? $this->tried : null,
        ]);

        return count($delivery->batch) === 0
            ? $passed
            : $passed->with(['intent' => $intent->answered(), 'trouble' => null, 'refusedInRow' => 0]);
    }

    public function asNew(): self
    {
        return $this->with(['isNew' => true]);
    }

    /** @param int<0, max> $inRow */
    public function refused(int $inRow): self
    {
        return $this->with(['refusedInRow' => $inRow]);
    }

    /** The cursor stands elsewhere than was known here. */
    public function at(Progress $progress): self
    {
        return $this->with(['progress' => $progress, 'intent' => new Intent, 'tried' => null]);
    }

    /** Redis has and delivers the events before: a ledger that stands behind must not get them from here. */
    public function broughtIntoRedis(Progress $progress): self
    {
        return $this->at($progress)->with(['intent' => new Intent(for: 'redis:')]);
    }

    public function isOfRedis(): bool
    {
        return str_starts_with($this->intent->for, 'redis:');
    }

    /**
     * An operator has set the cursor to another place.
     *
     * @param int<0, max> $twice events that will be handed over once more
     */
    public function replayedFrom(Progress $progress, int $twice): self
    {
        return $this->at($progress)->with([
            'trouble' => null,
            'refusedInRow' => 0,
            'replayed' => $this->replayed + $twice,
        ]);
    }

    public function troubled(?RetryState $trouble): self
    {
        return $this->with(['trouble' => $trouble, 'intent' => $this->intent->answered()]);
    }

    /**
     * Once for each flush that failed.
     *
     * @param int<0, max> $handed events that were with the sink then
     */
    public function failed(RetryState $trouble, int $handed): self
    {
        return $this->troubled($trouble)->with([
            'failed' => $this->failed + 1,
            'retried' => $this->retried + $handed,
        ]);
    }

    /** @param ?string $why null: nothing */
    public function leaving(?string $why): self
    {
        return $this->with(['left' => $why]);
    }

    public function withTokens(?RateWindow $tokens): self
    {
        return $this->with(['tokens' => $tokens]);
    }

    public function withTried(?Attempts $tried): self
    {
        return $this->with(['tried' => $tried]);
    }

    /**
     * A log that is new is so until anything changes.
     *
     * @param array{
     *     progress?: Progress,
     *     intent?: Intent,
     *     trouble?: ?RetryState,
     *     refusedInRow?: int<0, max>,
     *     replayed?: int<0, max>,
     *     isNew?: bool,
     *     tokens?: ?RateWindow,
     *     tried?: ?Attempts,
     *     failed?: int<0, max>,
     *     retried?: int<0, max>,
     *     left?: ?string,
     * } $changes
     */
    private function with(array $changes): self
    {
        return new self(...$changes + [
            'progress' => $this->progress,
            'intent' => $this->intent,
            'trouble' => $this->trouble,
            'refusedInRow' => $this->refusedInRow,
            'replayed' => $this->replayed,
            'isNew' => false,
            'tokens' => $this->tokens,
            'tried' => $this->tried,
            'failed' => $this->failed,
            'retried' => $this->retried,
            'left' => $this->left,
        ]);
    }
}
