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
 * One leased log on its way to its sink, within one flush. To be run once.
 *
 * @internal
 */
final class BucketFlush
{
    /**
     * The ledger can move under a flusher only by a reply that was lost; more often than this something else is wrong.
     */
    private const MAX_RESTARTS = 3;

    /** Of one-by-one sinks: each event is a handful of objects for as long as its batch is under way. */
    private const MOST_SINGLES = 1000;

    private readonly Sink $sink;

    private readonly ?RateLimiter $rate;

    private readonly DeliveryStrategy $strategy;

    private readonly ?SinkProbe $probe;

    private ?BatchBisector $bisector = null;

    private readonly ?int $stopAt;

    private Position $delivered;

    /** @var int<0, max> */
    private int $handed = 0;

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

    /** What lies before is delivered, whatever came of the rest; the start where nothing is known. */
    public function delivered(): Position
    {
        return $this->delivered;
    }

    /**
     * @return int<0, max> events that are with the sink, which has not said what came of them;
     *     after a failure those that it failed with
     */
    public function handed(): int
    {
        return $this->handed;
    }

    /** @throws Throwable */
    public function run(): void
    {
        for ($restart = 0; ;) {
            try {
                $wasStopped = $this->deliverAll();
                $left = $this->rate?->left($this->lease->state());

                // It may have taken so long that there are tokens again.
                if ($wasStopped || ! $this->report->more || $left === null || $left === 0) {
                    $this->report->goesOnAt = $wasStopped || ! $this->report->more
                        ? null
                        : $this->rate?->goesOnAt($this->lease->state());

                    return;
                }
            } catch (CursorMoved $e) {
                if ($restart++ === self::MAX_RESTARTS) {
                    throw $e;
                }
            }
        }
    }

    /** @return bool whether something else than the end of what may be read stopped it */
    private function deliverAll(): bool
    {
        $known = $this->lease->state()->progress;
        $progress = $this->strategy->begin();
        array_map($this->report->saw(...), $this->lease instanceof CanLoseTail ? $this->lease->losses() : []);
        $this->missLetters($known, $progress);
        $this->delivered = $progress->position;
        $begun = $this->strategy->begun();
        $dead = $this->settle($begun);
        $asked = $this->limits->events === null
            ? null
            : $this->limits->events - $this->report->delivered - $this->report->dead;
        $tokens = $this->rate?->left($this->lease->state());

        if ($asked !== null && $asked < 1) {
            return true;
        }

        $this->lease->seal();
        // What was said before a restart may not be so now.
        $this->report->more = false;
        $left = $asked === null || $tokens === null ? $asked ?? $tokens : min($asked, $tokens);
        $reader = new BatchReader(
            $this->lease,
            $this->codec(),
            $this->lease->source(),
            $this->report,
            $this->delivered,
            $this->size(),
            $dead,
            $begun,
            $left,
            $this->limits->buryAll,
        );

        try {
            $wasStopped = $this->hand($reader);
        } finally {
            $this->delivered = $this->lease->state()->progress->position;
        }

        return $wasStopped || ($asked !== null && $asked === $left);
    }

    /**
     * A ledger that is ahead also tells how many were refused. Each has its letter here, unless the disk was set back.
     */
    private function missLetters(Progress $known, Progress $progress): void
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
                $this->report->saw(MissingRange::lettersGone($known->position, $progress->position, $gone));
            }
        }
    }

    /** @return bool whether it was stopped before the reader's end */
    private function hand(BatchReader $reader): bool
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
            $wasStopped = ! $this->goesOn() || ! $this->handOne($item, $run);

            if ($wasStopped) {
                break;
            }
        }

        $run->finish();

        return $wasStopped;
    }

    /** @return bool whether it came to its end */
    private function handOne(Delivery|RejectedEvent $item, DeliveryRun $run): bool
    {
        $isWhole = true;

        if ($item instanceof RejectedEvent) {
            $run->reject($item);
        } elseif ($this->sink instanceof SingleEventSink) {
            $this->handed = 1;
            $isWhole = $this->handEach($item->singles(), $run);
        } else {
            $this->handed = count($item->batch);

            try {
                $run->deliver($item);
            } catch (UnableToDeliver $e) {
                $this->bisector($run)->refused($item, $e);
            }
        }

        $this->handed = 0;

        return $isWhole;
    }

    /**
     * Each has arrived before the next one is handed over.
     *
     * @param list<Delivery> $singles
     * @return bool whether it came to the last
     */
    private function handEach(array $singles, DeliveryRun $run): bool
    {
        foreach ($singles as $number => $single) {
            $goesOn = null;
            $follower = $singles[$number + 1] ?? null;
            $next = $follower === null ? null : function () use ($follower, &$goesOn): ?Delivery {
                $goesOn = $this->goesOn();

                return $goesOn ? $follower : null;
            };

            try {
                $run->deliverSingle($single, $next);
            } catch (Throwable $e) {
                $this->bisector($run)->refusedSingle($single, $e);
            }

            // The sink that refuses an event does not ask for the next one.
            if ($follower !== null && ! ($goesOn ?? $this->goesOn())) {
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
            ? min(self::MOST_SINGLES, $this->bucket->batch)
            : $this->bucket->batch;
    }

    private function goesOn(): bool
    {
        if ($this->stopAt !== null && $this->clock->monotonicNanos() >= $this->stopAt) {
            $this->report->more = true;

            return false;
        }

        $this->report->paused = ($this->isPaused)();

        return ! $this->report->paused;
    }

    /**
     * What was refused before a range was begun is not in it. What was refused of the range itself has a letter
     * already, perhaps, and is handed over with it all the same: the other side is asked again under the same id.
     *
     * @return array<string, true> events that are not to be handed over, by place
     */
    private function settle(?Position $begun): array
    {
        $letters = $this->lease->letters();
        $dead = $letters->settle($this->delivered, $begun !== null);
        $from = $begun === null ? null : $this->lease->state()->intent->from;

        if ($from === null) {
            return $dead;
        }

        $before = array_filter(
            $dead,
            static fn (string $place): bool => $place < $from->toString(),
            ARRAY_FILTER_USE_KEY,
        );

        return $before + $letters->settle($from, false);
    }

    private function probe(): ?SinkProbe
    {
        // What is only tried would go beyond a rate, where nothing can be taken back.
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
