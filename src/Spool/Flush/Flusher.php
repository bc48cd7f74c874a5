<?php

declare(strict_types=1);

namespace Headroom\Spool\Flush;

use Headroom\Core\Clock;
use Headroom\Core\InvalidConfig;
use Headroom\Core\Position;
use Headroom\Sink\CursorMoved;
use Headroom\Sink\ExactlyOnce;
use Headroom\Spool\BucketConfig;
use Headroom\Spool\Claim;
use Headroom\Spool\Codec;
use Headroom\Spool\InvalidBucket;
use Headroom\Spool\Replicated;
use Headroom\Spool\Sinks;
use Headroom\Spool\SpoolConfig;
use Headroom\Spool\Store;
use Throwable;

/**
 * Carries one bucket's log to its sink. Safe to run anywhere at any time: a second one finds the bucket busy.
 *
 * @internal
 */
final readonly class Flusher
{
    /** The ledger can move under a flusher only by a reply that was lost; more often than this something else is wrong. */
    private const MAX_RESTARTS = 3;

    public function __construct(
        private Store $store,
        private Sinks $sinks,
        private SpoolConfig $config,
        private Clock $clock,
        private Backoff $backoff = new Backoff,
    ) {}

    /**
     * A failure is in the report, so that one bucket's never stands in the way of another's.
     *
     * @throws InvalidBucket it is not declared
     */
    public function flush(string $bucket, Limits $limits = new Limits): FlushReport
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
            $report->paused = $this->store->isPaused($bucket);

            if ($report->paused) {
                return $report;
            }

            $claim = $this->store->claim($bucket);

            if ($claim === null) {
                $report->busy = true;
            } else {
                $this->flushClaimed($claim, $config, $limits, $report);
            }
        } catch (Throwable $e) {
            $report->failure ??= $e;
        }

        return $report;
    }

    private function flushClaimed(Claim $claim, BucketConfig $config, Limits $limits, FlushReport $report): void
    {
        $delivered = Position::start();

        try {
            $before = $claim->log->state()->trouble;

            if ($before !== null && ! $limits->now && Backoff::isTooEarly($before, $this->clock->micros())) {
                $report->waiting = $before;

                return;
            }

            $this->carry($claim, $config, $limits, $report, $delivered);

            if ($before !== null) {
                $claim->log->save($claim->log->state()->troubled(null));
                $report->recovered = $before;
            }
        } catch (Throwable $e) {
            $report->failure = $e;
            $this->note($e, $claim, $report);
        } finally {
            $claim->release($delivered);
        }
    }

    private function carry(Claim $claim, BucketConfig $config, Limits $limits, FlushReport $report, Position &$delivered): void
    {
        $courier = $this->courier($claim, $config);
        $stopAt = $limits->seconds === null ? null : $this->clock->monotonicNanos() + $limits->seconds * 1_000_000_000;

        for ($restart = 0; ; $restart++) {
            try {
                $this->deliverAll($courier, $claim, $config, $limits, $stopAt, $report, $delivered);

                return;
            } catch (CursorMoved $e) {
                if ($restart === self::MAX_RESTARTS) {
                    throw $e;
                }
            }
        }
    }

    private function deliverAll(Courier $courier, Claim $claim, BucketConfig $config, Limits $limits, ?int $stopAt, FlushReport $report, Position &$delivered): void
    {
        $delivered = $courier->begin()->position;
        $begun = $courier->begun();
        $dead = $claim->letters->settle($delivered, $begun !== null);
        $left = $limits->events === null ? null : $limits->events - $report->delivered - $report->dead;

        if ($left !== null && $left < 1) {
            return;
        }

        // What was said before a restart may not be so now.
        $report->more = false;
        $hunt = new PoisonHunt($courier, $claim, $config, $this->clock, $report, $limits);

        try {
            foreach ((new BatchReader($claim->log, new Codec($config->utf8), $claim->source, $report, $delivered, $config->batch, $dead, $begun, $left))->read() as $item) {
                if ($stopAt !== null && $this->clock->monotonicNanos() >= $stopAt) {
                    $report->more = true;

                    break;
                }

                $report->paused = $this->store->isPaused($config->name);

                if ($report->paused) {
                    break;
                }

                $item instanceof Parcel ? $hunt->deliver($item) : $hunt->suspect($item);
            }

            $hunt->finish();
        } finally {
            $delivered = $claim->log->state()->progress->position;
        }
    }

    /** Where it can not be written down, the next flush knows nothing of it and tries at once. */
    private function note(Throwable $failure, Claim $claim, FlushReport $report): void
    {
        try {
            $state = $claim->log->state();
            $trouble = $this->backoff->after($state->trouble, $failure, $this->clock->micros());
            $claim->log->save($state->troubled($trouble));
            $report->trouble = $trouble;
        } catch (Throwable) {
            $report->trouble = null;
        }
    }

    /** @throws InvalidConfig */
    private function courier(Claim $claim, BucketConfig $config): Courier
    {
        $sink = $this->sinks->of($config);

        $courier = $sink instanceof ExactlyOnce
            ? new LedgerCourier($sink, $claim->log, $claim->source)
            : new PlanCourier($sink, $claim->log, $config);

        return $claim->log instanceof Replicated ? new SecuringCourier($courier, $claim->log) : $courier;
    }
}
