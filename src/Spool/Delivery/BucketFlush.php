<?php

declare(strict_types=1);

namespace Headroom\Spool\Delivery;

use Closure;
use Headroom\Core\Clock;
use Headroom\Core\Position;
use Headroom\Sink\CursorMoved;
use Headroom\Sink\Delivery;
use Headroom\Sink\ExactlyOnce;
use Headroom\Sink\HoldsBytes;
use Headroom\Sink\Progress;
use Headroom\Sink\SingleEventSink;
use Headroom\Sink\Sink;
use Headroom\Sink\SupportsProbe;
use Headroom\Sink\UnableToDeliver;
use Headroom\Spool\BucketConfig;
use Headroom\Spool\Encoding\Codec;
use Headroom\Spool\Store\CanLoseTail;
use Headroom\Spool\Store\ConsumerLease;
use Headroom\Spool\Store\MissingRange;
use Headroom\Spool\Store\Replicated;
use Headroom\Support\InvalidConfig;
use Throwable;

/**
 * Delivers one leased log to its sink within one flush. Can run once.
 *
 * @internal
 */
final class BucketFlush
{
    /** During a flush the ledger moves only when the reply to a commit was lost. More restarts mean another fault. */
    private const MAX_RESTARTS = 3;

    /** Batch size for sinks that take one event at a time: each event needs several objects until its batch is done. */
    private const MAX_SINGLES = 1000;

    private readonly Sink $sink;

    private readonly ?RateLimiter $rate;

    private readonly DeliveryStrategy $strategy;

    private readonly ?SinkProbe $probe;

    private ?BatchBisector $bisector = null;

    private readonly ?int $stopAt;

    private Position $delivered;

    /** @var int<0, max> */
    private int $inFlight = 0;

    /**
     * @param Closure(): bool $isPaused
     *
     * @throws InvalidConfig
     */
    public function __construct(
        private readonly SinkRegistry $sinks,
        private readonly ConsumerLease $lease,
        private readonly BucketConfig $bucket,
        private readonly FlushOptions $limits,
        private readonly FlushReport $report,
        private readonly Clock $clock,
        private readonly Closure $isPaused,
    ) {
        $this->sink = $sinks->of($bucket);
        $this->rate = $bucket->rateLimit === null
            ? null
            : new RateLimiter($bucket->rateLimit, $clock, $lease instanceof Replicated);
        $this->strategy = $this->strategy();
        $this->probe = $this->probe();
        $this->stopAt = $limits->seconds === null ? null : $clock->monotonicNanos() + $limits->seconds * 1_000_000_000;
        $this->delivered = Position::start();
    }

    /** Returns the position before which all events are delivered; the start when it is unknown. */
    public function delivered(): Position
    {
        return $this->delivered;
    }

    /**
     * @return int<0, max> events that the sink has and has not answered for; after a failure, the events of the failed
     *     call
     */
    public function inFlight(): int
    {
        return $this->inFlight;
    }

    /** @throws Throwable */
    public function run(): void
    {
        for ($restart = 0; ;) {
            try {
                $wasStopped = $this->deliverAll();
                $left = $this->rate?->available($this->lease->state());

                // The delivery may have taken so long that tokens are free again.
                if ($wasStopped || ! $this->report->hasMore || $left === null || $left === 0) {
                    $this->report->nextTokenAt = $wasStopped || ! $this->report->hasMore
                        ? null
                        : $this->rate?->nextTokenAt($this->lease->state());

                    return;
                }
            } catch (CursorMoved $e) {
                if ($restart++ === self::MAX_RESTARTS) {
                    throw $e;
                }
            }
        }
    }

    /** @return bool whether it stopped early for a reason other than the rate limit */
    private function deliverAll(): bool
    {
        $known = $this->lease->state()->progress;
        $progress = $this->strategy->begin();
        array_map($this->report->addLoss(...), $this->lease instanceof CanLoseTail ? $this->lease->losses() : []);
        $this->reportMissingLetters($known, $progress);
        $this->delivered = $progress->position;
        $resendUntil = $this->strategy->resendUntil();
        $dead = $this->positionsToSkip($resendUntil);
        $asked = $this->limits->events === null
            ? null
            : $this->limits->events - $this->report->delivered - $this->report->dead;
        $tokens = $this->rate?->available($this->lease->state());

        if ($asked !== null && $asked < 1) {
            return true;
        }

        $this->lease->seal();
        // After a restart an earlier value may be wrong.
        $this->report->hasMore = false;
        $left = $asked === null || $tokens === null ? $asked ?? $tokens : min($asked, $tokens);
        $reader = new BatchReader(
            $this->lease,
            $this->codec(),
            $this->lease->source(),
            $this->report,
            $this->delivered,
            $this->size(),
            $dead,
            $resendUntil,
            $left,
            $this->limits->buryAll,
        );

        try {
            $wasStopped = $this->deliverFrom($reader);
        } finally {
            $this->delivered = $this->lease->state()->progress->position;
        }

        return $wasStopped || ($asked !== null && $asked === $left);
    }

    /**
     * Reports missing dead letters. A ledger that is ahead of this disk also counts refused events. Each of them has a
     * letter on this disk, unless the disk was set back.
     */
    private function reportMissingLetters(Progress $known, Progress $progress): void
    {
        if (
            ! $this->lease instanceof Replicated
            && $progress->dead > $known->dead
            && $progress->position->compare($known->position) > 0
        ) {
            $letters = $this->lease->letters();
            $there = iterator_count($letters->before($progress->position))
                - iterator_count($letters->before($known->position));
            $gone = $progress->dead - $known->dead - $there;

            if ($gone > 0) {
                $this->report->addLoss(MissingRange::lettersGone($known->position, $progress->position, $gone));
            }
        }
    }

    /** @return bool whether it stopped before the reader's end */
    private function deliverFrom(BatchReader $reader): bool
    {
        $run = new DeliveryRun(
            $this->strategy,
            $this->lease,
            $this->bucket,
            $this->clock,
            $this->report,
            $this->limits,
            $this->probe,
        );
        $this->bisector = null;
        $wasStopped = false;

        foreach ($reader->read() as $item) {
            $wasStopped = ! $this->mayContinue() || ! $this->deliverItem($item, $run);

            if ($wasStopped) {
                break;
            }
        }

        $run->finish();

        return $wasStopped;
    }

    /** @return bool whether the whole item was handled */
    private function deliverItem(Delivery|RejectedEvent $item, DeliveryRun $run): bool
    {
        $isWhole = true;

        if ($item instanceof RejectedEvent) {
            $run->reject($item);
        } elseif ($this->sink instanceof SingleEventSink) {
            $this->inFlight = 1;
            $isWhole = $this->deliverSingles($item->singles(), $run);
        } else {
            $this->inFlight = count($item->batch);

            try {
                $run->deliver($item);
            } catch (UnableToDeliver $e) {
                $this->bisector($run)->refused($item, $e);
            }
        }

        $this->inFlight = 0;

        return $isWhole;
    }

    /**
     * Sends each event after the one before it has arrived.
     *
     * @param list<Delivery> $singles
     * @return bool whether the last event was handled
     */
    private function deliverSingles(array $singles, DeliveryRun $run): bool
    {
        foreach ($singles as $number => $single) {
            $mayContinue = null;
            $follower = $singles[$number + 1] ?? null;
            $next = $follower === null ? null : function () use ($follower, &$mayContinue): ?Delivery {
                $mayContinue = $this->mayContinue();

                return $mayContinue ? $follower : null;
            };

            try {
                $run->deliverSingle($single, $next);
            } catch (Throwable $e) {
                $this->bisector($run)->refusedSingle($single, $e);
            }

            // When the sink refuses an event, the strategy does not call $next.
            if ($follower !== null && ! ($mayContinue ?? $this->mayContinue())) {
                return false;
            }
        }

        return true;
    }

    private function bisector(DeliveryRun $run): BatchBisector
    {
        return $this->bisector ??= new BatchBisector($run, $this->strategy, $this->lease, $this->limits, $this->probe);
    }

    /** @return int<1, max> events in a batch */
    private function size(): int
    {
        return $this->sink instanceof SingleEventSink
            ? min(self::MAX_SINGLES, $this->bucket->batch)
            : $this->bucket->batch;
    }

    private function mayContinue(): bool
    {
        if ($this->stopAt !== null && $this->clock->monotonicNanos() >= $this->stopAt) {
            $this->report->hasMore = true;

            return false;
        }

        $this->report->paused = ($this->isPaused)();

        return ! $this->report->paused;
    }

    /**
     * Events that were refused before a range was first sent are not part of it. Events of the range itself are sent
     * again even if they have dead letters, because the receiver must get the same content under the same id.
     *
     * @return array<string, true> events that are not sent, by position
     */
    private function positionsToSkip(?Position $resendUntil): array
    {
        $letters = $this->lease->letters();
        $dead = $letters->discardVoid($this->delivered, $resendUntil !== null);
        $from = $resendUntil === null ? null : $this->lease->state()->intent->from;

        if ($from === null) {
            return $dead;
        }

        $before = array_filter(
            $dead,
            static fn (string $place): bool => $place < $from->toString(),
            ARRAY_FILTER_USE_KEY,
        );

        return $before + $letters->discardVoid($from, false);
    }

    private function probe(): ?SinkProbe
    {
        // A probe that cannot be rolled back would exceed the rate limit.
        return $this->sink instanceof SupportsProbe && ($this->rate === null || $this->sink instanceof ExactlyOnce)
            ? new SinkProbe($this->sink, $this->lease, $this->codec(), $this->clock)
            : null;
    }

    private function codec(): Codec
    {
        return new Codec($this->bucket->utf8, $this->sink instanceof HoldsBytes ? $this->sink->holdsBytes(...) : null);
    }

    private function strategy(): DeliveryStrategy
    {
        if ($this->sink instanceof ExactlyOnce) {
            return new ExactlyOnceDelivery($this->sink, $this->sinks, $this->lease, $this->report, $this->rate);
        }

        $letters = new DeadLetterWriter($this->lease, $this->bucket, $this->clock, $this->report);

        return new AtLeastOnceDelivery($this->sink, $this->sinks, $this->lease, $this->bucket, $letters, $this->rate);
    }
}
