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
            $courier = $this->courier($claim, $config);
            $stopAt = $limits->seconds === null ? null : $this->clock->monotonicNanos() + $limits->seconds * 1_000_000_000;

            for ($restart = 0; ; $restart++) {
                try {
                    $this->deliverAll($courier, $claim, $config, $limits, $stopAt, $report, $delivered);

                    break;
                } catch (CursorMoved $e) {
                    if ($restart === self::MAX_RESTARTS) {
                        throw $e;
                    }
                }
            }
        } catch (Throwable $e) {
            $report->failure = $e;
        } finally {
            $claim->release($delivered);
        }
    }

    private function deliverAll(Courier $courier, Claim $claim, BucketConfig $config, Limits $limits, ?int $stopAt, FlushReport $report, Position &$delivered): void
    {
        $delivered = $courier->begin()->position;
        $reader = new BatchReader($claim->log(), new Codec($config->utf8), $claim->source(), $report);
        $left = $limits->events === null ? null : $limits->events - $report->delivered;

        if ($left !== null && $left < 1) {
            return;
        }

        foreach ($reader->read($delivered, $config->batch, $courier->begun(), $left) as $delivery) {
            if ($stopAt !== null && $this->clock->monotonicNanos() >= $stopAt) {
                $report->more = true;

                return;
            }

            $report->paused = $this->store->isPaused($config->name);

            if ($report->paused) {
                return;
            }

            $delivered = $courier->deliver($delivery)->position;
            $report->delivered += count($delivery->batch);
            $report->batches++;
        }
    }

    /** @throws InvalidConfig */
    private function courier(Claim $claim, BucketConfig $config): Courier
    {
        $sink = $this->sinks->of($config);

        return $sink instanceof ExactlyOnce
            ? new LedgerCourier($sink, $claim->log(), $claim->source())
            : new PlanCourier($sink, $claim->log(), $config);
    }
}
