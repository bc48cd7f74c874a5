<?php

declare(strict_types=1);

namespace Headroom\Spool\Delivery;

use Closure;
use Headroom\Core\Clock;
use Headroom\Core\Position;
use Headroom\Spool\BucketConfig;
use Headroom\Spool\Events\BatchFlushed;
use Headroom\Spool\Exceptions\DeliveryInterrupted;
use Headroom\Spool\History\HistoryRecorder;
use Headroom\Spool\InvalidBucket;
use Headroom\Spool\SpoolConfig;
use Headroom\Spool\Store\ConsumerLease;
use Headroom\Spool\Store\State\DeliveryState;
use Headroom\Spool\Store\State\RetryState;
use Headroom\Spool\Store\Store;
use Headroom\Spool\UnableToFlush;
use Headroom\Support\InvalidConfig;
use Headroom\Support\UnableToCall;
use Throwable;

/**
 * Delivers one bucket's log to its sink. Any process can call it at any time: a second flush finds the bucket busy.
 *
 * @internal
 */
final readonly class Flusher
{
    /** Limit for the partial failure in the state record, whose size is fixed and which may also have a retry state. */
    private const PARTIAL_FAILURE_BYTES = 300;

    /**
     * @param ?Closure(BatchFlushed): void $notify calls the application's listeners; null if there are none
     * @param ?HistoryRecorder $history null records nothing
     */
    public function __construct(
        private Store $store,
        private SinkRegistry $sinks,
        private SpoolConfig $config,
        private Clock $clock,
        private ?Closure $notify = null,
        private ?HistoryRecorder $history = null,
    ) {}

    /**
     * Returns a failure in the report, so that a failure of one bucket does not stop the flush of another.
     *
     * @throws InvalidBucket the bucket is not declared
     */
    public function flush(string $bucket, FlushOptions $limits = new FlushOptions): FlushReport
    {
        $report = new FlushReport($bucket);

        try {
            $config = $this->config->bucket($bucket);
        } catch (InvalidConfig $e) {
            $report->failure = $e;

            return $report;
        }

        if ($config === null) {
            throw InvalidBucket::undeclared($bucket);
        }

        $this->flushDeclared($config, $limits, $report);
        $this->history?->flushed($bucket, $report->delivered + $report->dead, $report->reason());

        return $report;
    }

    private function flushDeclared(BucketConfig $config, FlushOptions $limits, FlushReport $report): void
    {
        $bucket = $config->name;

        try {
            // A paused bucket is not claimed, because a claim drains events into Redis. The flush asks again under the
            // lease: a bucket may have been paused in between, and spool:pause does not wait for a flush without a
            // lease.
            $report->paused = $this->store->isPaused($bucket);

            if ($report->paused) {
                return;
            }

            $lease = $this->store->claim($bucket);

            if ($lease === null) {
                $report->busy = true;
            } else {
                $this->flushClaimed($lease, $config, $limits, $report);
            }
        } catch (Throwable $e) {
            $report->failure ??= UnableToCall::behind($e);
        }

        $this->savePartialFailure($report);
    }

    /**
     * Saves a failure that left out only a part of the bucket, such as a segment that could not be sealed. spool:status
     * shows it, and it causes no backoff.
     */
    public function savePartialFailure(FlushReport $report): void
    {
        $partialFailure = $report->failure === null
            ? null
            : FailureReason::of($report->failure, self::PARTIAL_FAILURE_BYTES);

        if (
            $report->partialFailure === false
            || $report->partialFailure === $partialFailure
            || $report->retry !== null
            || $report->waiting !== null
        ) {
            return;
        }

        try {
            $lease = $this->store->claim($report->bucket);

            if ($lease === null) {
                return; // Another process is flushing the bucket and meets the same failure.
            }

            try {
                $lease->save($lease->state()->withPartialFailure($partialFailure));
            } finally {
                $lease->close(Position::start());
            }

            $report->partialFailure = $partialFailure;
        } catch (Throwable) {
            // The next flush meets the same failure and tries to save it.
        }
    }

    private function flushClaimed(
        ConsumerLease $lease,
        BucketConfig $config,
        FlushOptions $limits,
        FlushReport $report,
    ): void {
        $transfer = null;

        try {
            $state = $lease->state();
            $report->partialFailure = $state->partialFailure;
            $before = $this->interrupted($lease, $state, $limits, $report) ?? $state->retry;

            if ($before !== null && ! $limits->now && Backoff::isTooEarly($before, $this->clock->micros())) {
                $report->waiting = $before;

                return;
            }

            $transfer = new BucketFlush(
                $this->sinks,
                $lease,
                $config,
                $limits->followedBy($this->notify, $this->history),
                $report,
                $this->clock,
                fn (): bool => $this->store->isPaused($config->name),
            );
            $transfer->run();

            // When the rate limit or a pause let no event pass, the state of the sink is unknown.
            if (
                $before !== null
                && ($report->delivered + $report->dead > 0 || ! ($report->hasMore || $report->paused))
            ) {
                $lease->save($lease->state()->withRetry(null));
                $report->recovered = $before;
            }
        } catch (Throwable $e) {
            $report->failure = $e = UnableToCall::behind($e);
            $report->retry ??= $this->saveFailure($e, $lease, $transfer?->inFlight() ?? 0);
            // A process that has lost its lease must not save anything for the bucket.
            $report->partialFailure = $report->retry === null ? false : $report->partialFailure;
        } finally {
            $lease->close($transfer?->delivered() ?? Position::start());
        }
    }

    /**
     * Saves the first interruption for spool:status, without backoff. A repeated interruption is a failure with
     * backoff, because the next process that it ends could not report it.
     *
     * @throws UnableToFlush
     */
    private function interrupted(
        ConsumerLease $lease,
        DeliveryState $state,
        FlushOptions $limits,
        FlushReport $report,
    ): ?RetryState {
        if (! $state->intent->isUnderWay) {
            return null;
        }

        $what = DeliveryInterrupted::byProcessEnd($report->bucket);
        $report->interrupted = (new Backoff)->interrupted($state->retry, $what, $this->clock->micros());
        // The number of events that the sink had is unknown.
        $lease->save($state->failed($report->interrupted, 0));

        if ($report->interrupted->attempts > 1 && ! $limits->now) {
            $report->retry = $report->interrupted;

            throw $what;
        }

        return $report->interrupted;
    }

    /**
     * Returns null when the failure cannot be saved. The next flush then tries at once.
     *
     * @param int<0, max> $inFlight events that the sink had
     */
    private function saveFailure(Throwable $failure, ConsumerLease $lease, int $inFlight): ?RetryState
    {
        try {
            $state = $lease->state();
            $retry = (new Backoff)->after($state->retry, $failure, $this->clock->micros());
            $lease->save($state->failed($retry, $inFlight));

            return $retry;
        } catch (Throwable) {
            return null;
        }
    }
}
