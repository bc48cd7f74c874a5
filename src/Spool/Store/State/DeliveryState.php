<?php

declare(strict_types=1);

namespace Headroom\Spool\Store\State;

use Headroom\Sink\Delivery;
use Headroom\Sink\Progress;
use Headroom\Spool\BucketConfig;
use Headroom\Spool\Store\DeadLetterStore;

/**
 * The state that one flush saves for the next.
 *
 * @internal
 */
final readonly class DeliveryState
{
    /**
     * @param Progress $progress the delivered position; for a sink with a ledger, a copy of what the ledger last
     *     reported
     * @param ?RetryState $retry null when the last flush succeeded
     * @param int<0, max> $refusedInRow dead letters since the sink last accepted a record
     * @param int<0, max> $replayed delivered events that a replay or a restored database has taken back
     * @param bool $isNew no segment was ever sealed here, so no event can have been delivered from here; not stored
     * @param ?RateWindow $tokens the tokens that the rate limit has taken
     * @param ?Attempts $tried the failed attempts for the event at which the last flushes failed
     * @param int<0, max> $failed total of failed flushes
     * @param int<0, max> $retried events that failed flushes had sent to the sink and that are sent again
     * @param ?string $partialFailure why the last flush failed although it delivered all other events;
     *     it causes no backoff
     * @param int<0, max> $replayedLetters dead letters that a replay or a restored database has taken back
     */
    public function __construct(
        public Progress $progress,
        public Intent $intent = new Intent,
        public ?RetryState $retry = null,
        public int $refusedInRow = 0,
        public int $replayed = 0,
        public bool $isNew = false,
        public ?RateWindow $tokens = null,
        public ?Attempts $tried = null,
        public int $failed = 0,
        public int $retried = 0,
        public ?string $partialFailure = null,
        public int $replayedLetters = 0,
    ) {}

    public static function fresh(): self
    {
        return new self(Progress::none());
    }

    /** Whether a callback received the last delivery, or is receiving the current one. */
    public function isOfCallback(): bool
    {
        return str_starts_with($this->intent->for, BucketConfig::CALLBACK.':');
    }

    public function planning(Delivery $delivery, string $for): self
    {
        $from = $delivery->dead === 0 ? $delivery->from : $delivery->batch->record(0)->position;

        return $this->with(['intent' => new Intent($delivery->to, $for, $from, true)]);
    }

    /** Withdraws the announced range, which is known not to have arrived. */
    public function unplanned(): self
    {
        return $this->with(['intent' => new Intent]);
    }

    /** @param int<0, max> $refused number of records of the batch that became dead letters */
    public function delivered(Delivery $delivery, int $refused = 0): self
    {
        $progress = $this->progress->advancedBy($delivery);
        $progress = $refused === 0 ? $progress : new Progress(
            $progress->position,
            max(0, $progress->delivered - $refused),
            $progress->dead + $refused,
            $progress->checksum,
        );
        // A delivery of dead letters only does not show whether the sink works, or whether an announced range has
        // arrived.
        $intent = $this->intent->deliveredTo($delivery->to);
        $isTried = $this->tried !== null && $this->tried->position->compare($delivery->to) >= 0;
        $passed = $this->with([
            'progress' => $progress,
            'intent' => $intent,
            'tried' => $isTried ? $this->tried : null,
        ]);

        return count($delivery->batch) === 0
            ? $passed
            : $passed->with(['intent' => $intent->answered(), 'retry' => null, 'refusedInRow' => 0]);
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

    /**
     * Replaces the cursor by one that differs from the saved cursor. A total of all deliveries must not fall when the
     * cursor moves back.
     *
     * @param ?DeadLetterStore $letters null when it has no tombstones, whose events stay dead
     */
    public function at(Progress $progress, ?DeadLetterStore $letters = null): self
    {
        $tombstones = ($letters?->countTombstonesFrom($progress->position) ?? 0)
            - ($letters?->countTombstonesFrom($this->progress->position) ?? 0);

        return $this->with([
            'progress' => $progress,
            'intent' => new Intent,
            'tried' => null,
            'replayed' => $this->replayed + max(0, $this->progress->delivered - $progress->delivered),
            'replayedLetters' => $this->replayedLetters
                + max(0, $this->progress->dead - $progress->dead - $tombstones),
        ]);
    }

    /**
     * Redis has the events before this position and delivers them. A ledger that is behind must not get them from this
     * disk again.
     */
    public function broughtIntoRedis(Progress $progress): self
    {
        return $this->at($progress)->with(['intent' => new Intent(for: 'redis:')]);
    }

    public function isOfRedis(): bool
    {
        return str_starts_with($this->intent->for, 'redis:');
    }

    /** `spool:replay` has moved the cursor. */
    public function replayedFrom(Progress $progress, DeadLetterStore $letters): self
    {
        return $this->at($progress, $letters)->with(['retry' => null, 'refusedInRow' => 0]);
    }

    public function withRetry(?RetryState $retry): self
    {
        return $this->with(['retry' => $retry, 'intent' => $this->intent->answered()]);
    }

    /**
     * Called once per failed flush.
     *
     * @param int<0, max> $inFlight events that the sink had when the flush failed
     */
    public function failed(RetryState $retry, int $inFlight): self
    {
        return $this->withRetry($retry)->with([
            'failed' => $this->failed + 1,
            'retried' => $this->retried + $inFlight,
        ]);
    }

    /** @param ?string $why null clears the reason */
    public function withPartialFailure(?string $why): self
    {
        return $this->with(['partialFailure' => $why]);
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
     * Any change ends `isNew`.
     *
     * @param array{
     *     progress?: Progress,
     *     intent?: Intent,
     *     retry?: ?RetryState,
     *     refusedInRow?: int<0, max>,
     *     replayed?: int<0, max>,
     *     isNew?: bool,
     *     tokens?: ?RateWindow,
     *     tried?: ?Attempts,
     *     failed?: int<0, max>,
     *     retried?: int<0, max>,
     *     partialFailure?: ?string,
     *     replayedLetters?: int<0, max>,
     * } $changes
     */
    private function with(array $changes): self
    {
        return new self(...$changes + [
            'progress' => $this->progress,
            'intent' => $this->intent,
            'retry' => $this->retry,
            'refusedInRow' => $this->refusedInRow,
            'replayed' => $this->replayed,
            'isNew' => false,
            'tokens' => $this->tokens,
            'tried' => $this->tried,
            'failed' => $this->failed,
            'retried' => $this->retried,
            'partialFailure' => $this->partialFailure,
            'replayedLetters' => $this->replayedLetters,
        ]);
    }
}
