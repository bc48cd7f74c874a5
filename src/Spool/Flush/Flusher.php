<?php

declare(strict_types=1);

namespace Headroom\Spool\Flush;

use Closure;
use Headroom\Core\Clock;
use Headroom\Core\InvalidConfig;
use Headroom\Core\Position;
use Headroom\Sink\CursorMoved;
use Headroom\Sink\ExactlyOnce;
use Headroom\Sink\OneByOne;
use Headroom\Sink\Sink;
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

    /** Of one-by-one sinks: each event is a handful of objects for as long as its batch is under way. */
    private const MOST_SINGLES = 1000;

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

            // Where its rate or a pause let nothing go, nothing is known of the sink.
            if ($before !== null && ($report->delivered + $report->dead > 0 || ! ($report->more || $report->paused))) {
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
        $rate = new RateLimit($config->rate, $this->clock, $claim->log instanceof Replicated);
        $sink = $this->sinks->of($config);
        $courier = $this->courier($sink, $claim, $config, $rate, $report);
        $stopAt = $limits->seconds === null ? null : $this->clock->monotonicNanos() + $limits->seconds * 1_000_000_000;
        $goesOn = fn (): bool => $this->goesOn($config->name, $stopAt, $report);

        for ($restart = 0; ;) {
            try {
                $wasStopped = $this->deliverAll($courier, $claim, $config, $limits, $rate, $sink instanceof OneByOne, $goesOn, $report, $delivered);
                $left = $rate->left($claim->log->state());

                // It may have taken so long that there are tokens again.
                if ($wasStopped || ! $report->more || $left === null || $left === 0) {
                    $report->goesOnAt = $wasStopped || ! $report->more ? null : $rate->goesOnAt($claim->log->state());

                    return;
                }
            } catch (CursorMoved $e) {
                if ($restart++ === self::MAX_RESTARTS) {
                    throw $e;
                }
            }
        }
    }

    /**
     * @param Closure(): bool $goesOn
     * @return bool whether something else than the end of what may be read stopped it
     */
    private function deliverAll(Courier $courier, Claim $claim, BucketConfig $config, Limits $limits, RateLimit $rate, bool $isOneByOne, Closure $goesOn, FlushReport $report, Position &$delivered): bool
    {
        $delivered = $courier->begin()->position;
        $begun = $courier->begun();
        $dead = $this->settle($claim, $delivered, $begun);
        $asked = $limits->events === null ? null : $limits->events - $report->delivered - $report->dead;
        $tokens = $rate->left($claim->log->state());

        if ($asked !== null && $asked < 1) {
            return true;
        }

        // What was said before a restart may not be so now.
        $report->more = false;
        $left = $asked === null || $tokens === null ? $asked ?? $tokens : min($asked, $tokens);
        $hunt = new PoisonHunt($courier, $claim, $config, $this->clock, $report, $limits);
        $wasStopped = false;

        try {
            foreach ((new BatchReader($claim->log, new Codec($config->utf8), $claim->source, $report, $delivered, $isOneByOne ? min(self::MOST_SINGLES, $config->batch) : $config->batch, $dead, $begun, $left))->read() as $item) {
                $wasStopped = ! $goesOn() || ($item instanceof Parcel && $isOneByOne && ! $hunt->deliverEach($item, $goesOn));

                if ($wasStopped) {
                    break;
                }

                if ($item instanceof Condemned) {
                    $hunt->suspect($item);
                } elseif (! $isOneByOne) {
                    $hunt->deliver($item);
                }
            }

            $hunt->finish();
        } finally {
            $delivered = $claim->log->state()->progress->position;
        }

        return $wasStopped || ($asked !== null && $asked === $left);
    }

    private function goesOn(string $name, ?int $stopAt, FlushReport $report): bool
    {
        if ($stopAt !== null && $this->clock->monotonicNanos() >= $stopAt) {
            $report->more = true;

            return false;
        }

        $report->paused = $this->store->isPaused($name);

        return ! $report->paused;
    }

    /**
     * What was refused before a range was begun is not in it. What was refused of the range itself has a letter
     * already, perhaps, and is handed over with it all the same: the other side is asked again under the same id.
     *
     * @return array<string, true> events that are not to be handed over, by place
     */
    private function settle(Claim $claim, Position $cursor, ?Position $begun): array
    {
        $dead = $claim->letters->settle($cursor, $begun !== null);
        $from = $begun === null ? null : $claim->log->state()->plannedFrom;

        if ($from === null) {
            return $dead;
        }

        $before = array_filter($dead, static fn (string $place): bool => $place < $from->toString(), ARRAY_FILTER_USE_KEY);

        return $before + $claim->letters->settle($from, false);
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

    private function courier(Sink $sink, Claim $claim, BucketConfig $config, RateLimit $rate, FlushReport $report): Courier
    {
        $courier = $sink instanceof ExactlyOnce
            ? new LedgerCourier($sink, $claim->log, $claim->source, $rate)
            : new PlanCourier($sink, $claim->log, $config, new Burial($claim, $config, $this->clock, $report), $rate);

        return $claim->log instanceof Replicated ? new SecuringCourier($courier, $claim->log) : $courier;
    }
}
