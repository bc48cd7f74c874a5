<?php

declare(strict_types=1);

namespace Headroom\Spool\Delivery;

use Headroom\Core\Clock;
use Headroom\Core\Position;
use Headroom\Spool\BucketConfig;
use Headroom\Spool\Exceptions\DeliveryInterrupted;
use Headroom\Spool\InvalidBucket;
use Headroom\Spool\SpoolConfig;
use Headroom\Spool\Store\ConsumerLease;
use Headroom\Spool\Store\DeliveryState;
use Headroom\Spool\Store\RetryState;
use Headroom\Spool\Store\Store;
use Headroom\Spool\UnableToFlush;
use Headroom\Support\InvalidConfig;
use Headroom\Support\UnableToCall;
use Throwable;

/**
 * Carries one bucket's log to its sink. Safe to run anywhere at any time: a second one finds the bucket busy.
 *
 * @internal
 */
final readonly class Flusher
{
    /** The state record, which has a size, holds it beside a trouble. */
    private const LEFT_BYTES = 300;

    public function __construct(
        private Store $store,
        private SinkRegistry $sinks,
        private SpoolConfig $config,
        private Clock $clock,
    ) {}

    /**
     * A failure is in the report, so that one bucket's never stands in the way of another's.
     *
     * @throws InvalidBucket it is not declared
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

        try {
            // Before the lease, which brings events into Redis. The flush asks again once it has the lease: a pause
            // that was set in between found no lock, so no command waits for this flush.
            $report->paused = $this->store->isPaused($bucket);

            if ($report->paused) {
                return $report;
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

        $this->noteLeft($report);

        return $report;
    }

    /**
     * What failed once all else was delivered, as that of a slot that is left out: spool:status is to tell,
     * and nobody waits.
     */
    public function noteLeft(FlushReport $report): void
    {
        $left = $report->failure === null ? null : FailureReason::of($report->failure, self::LEFT_BYTES);

        if (
            $report->left === false
            || $report->left === $left
            || $report->trouble !== null
            || $report->waiting !== null
        ) {
            return;
        }

        try {
            $lease = $this->store->claim($report->bucket);

            if ($lease === null) {
                return; // Another process flushes it, and fails of the same.
            }

            try {
                $lease->save($lease->state()->leaving($left));
            } finally {
                $lease->close(Position::start());
            }

            $report->left = $left;
        } catch (Throwable) {
            // The next flush fails of it again, and tries to note it.
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
            $report->left = $state->left;
            $before = $this->interrupted($lease, $state, $limits, $report) ?? $state->trouble;

            if ($before !== null && ! $limits->now && Backoff::isTooEarly($before, $this->clock->micros())) {
                $report->waiting = $before;

                return;
            }

            $transfer = new BucketFlush(
                $this->sinks,
                $lease,
                $config,
                $limits,
                $report,
                $this->clock,
                fn (): bool => $this->store->isPaused($config->name),
            );
            $transfer->run();

            // Where its rate or a pause let nothing go, nothing is known of the sink.
            if ($before !== null && ($report->delivered + $report->dead > 0 || ! ($report->more || $report->paused))) {
                $lease->save($lease->state()->troubled(null));
                $report->recovered = $before;
            }
        } catch (Throwable $e) {
            $report->failure = $e = UnableToCall::behind($e);
            $report->trouble ??= $this->note($e, $lease, $transfer?->handed() ?? 0);
            // A process that has lost the bucket has nothing to say of it.
            $report->left = $report->trouble === null ? false : $report->left;
        } finally {
            $lease->close($transfer?->delivered() ?? Position::start());
        }
    }

    /**
     * The first time it is noted, for spool:status, and nobody waits. What ends process after process is a failure like
     * any other, with its pauses: the process that it ends next could not tell.
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
        $report->interrupted = (new Backoff)->interrupted($state->trouble, $what, $this->clock->micros());
        // How many events it had, nobody has noted.
        $lease->save($state->failed($report->interrupted, 0));

        if ($report->interrupted->attempts > 1 && ! $limits->now) {
            $report->trouble = $report->interrupted;

            throw $what;
        }

        return $report->interrupted;
    }

    /**
     * Where it can not be written down, the next flush knows nothing of it and tries at once.
     *
     * @param int<0, max> $handed events that were with the sink
     */
    private function note(Throwable $failure, ConsumerLease $lease, int $handed): ?RetryState
    {
        try {
            $state = $lease->state();
            $trouble = (new Backoff)->after($state->trouble, $failure, $this->clock->micros());
            $lease->save($state->failed($trouble, $handed));

            return $trouble;
        } catch (Throwable) {
            return null;
        }
    }
}
