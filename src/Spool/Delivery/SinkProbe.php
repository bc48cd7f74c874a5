<?php

declare(strict_types=1);

namespace Headroom\Spool\Delivery;

use Generator;
use Headroom\Core\Batch;
use Headroom\Core\Clock;
use Headroom\Core\Retryable;
use Headroom\Sink\Delivery;
use Headroom\Sink\ExactlyOnce;
use Headroom\Sink\RetryLater;
use Headroom\Sink\SupportsProbe;
use Headroom\Spool\Encoding\Codec;
use Headroom\Spool\Store\ConsumerLease;
use Throwable;
use WeakMap;

/**
 * Finds out whether a sink that refused an event accepts any event: docs/adr/0025. It probes with events that the sink
 * accepted before, then with waiting ones.
 *
 * @internal
 */
final class SinkProbe
{
    private const MAX_SECONDS = 5;

    /** Number of waiting events to choose from. */
    private const SAMPLES = 2_000;

    /** Number of probes from a failed batch. Usually one event of a thousand makes the batch fail. */
    private const PROBES_OF_FAILED_BATCH = 4;

    /** Number of probes for a sink that stores them, because each accepted probe arrives once more. */
    private const MAX_STORED_PROBES = 24;

    /** Number of temporary failures after which the sink counts as unavailable and is not probed further. */
    private const MAX_TEMPORARY_FAILURES = 12;

    /** @var ?WeakMap<SupportsProbe, Delivery> the last event that each sink accepted in this process */
    private static ?WeakMap $lastAccepted = null;

    /** @var array<string, true> events of the last probing, by their end positions */
    private array $probed = [];

    public function __construct(
        private readonly SupportsProbe $sink,
        private readonly ConsumerLease $lease,
        private readonly Codec $codec,
        private readonly Clock $clock,
    ) {}

    /** Whether probes are rolled back. Other sinks store them. */
    public function isRolledBack(): bool
    {
        return $this->sink instanceof ExactlyOnce;
    }

    /** Remembers the last event of a delivery that the sink accepted. */
    public function rememberAccepted(Delivery $delivery): void
    {
        // Slice the batch first: a batch creates all its rows when it is asked for one record.
        $last = $delivery->slice(max(0, count($delivery->batch) - 1), 1);
        self::$lastAccepted ??= new WeakMap;
        // Copies the record, because the batch would keep everything that was read with it in memory.
        $copy = Batch::of([$last->batch->record(0)]);
        self::$lastAccepted[$this->sink] = new Delivery($last->source, $last->from, $last->to, $copy);
    }

    /**
     * @param ?Delivery $failed the batch that failed
     * @param bool $isOfNow ignore events that the sink accepted before
     */
    public function acceptsAnything(?Delivery $failed = null, bool $isOfNow = false): bool
    {
        $until = $this->clock->monotonicNanos() + self::MAX_SECONDS * 1_000_000_000;
        [$this->probed, $ofTheMoment] = [[], 0];

        foreach ($this->candidates($failed, $isOfNow) as $delivery) {
            try {
                if ($delivery !== null && ! isset($this->probed[$delivery->to->toString()])) {
                    $this->probed[$delivery->to->toString()] = true;
                    $this->sink->probe($delivery);
                    $this->rememberAccepted($delivery);

                    return true;
                }
            } catch (RetryLater) {
                return false;
            } catch (Throwable $e) {
                // The sink may accept the next event, which may be of another kind.
                $ofTheMoment += $e instanceof Retryable ? 1 : 0;
            }

            if ($ofTheMoment >= self::MAX_TEMPORARY_FAILURES || $this->clock->monotonicNanos() >= $until) {
                return false;
            }

            if (count($this->probed) >= self::MAX_STORED_PROBES && ! $this->isRolledBack()) {
                return false;
            }
        }

        return false;
    }

    /** @return Generator<int, ?Delivery> null when a line is not an event */
    private function candidates(?Delivery $failed, bool $isOfNow): Generator
    {
        if (! $isOfNow && isset(self::$lastAccepted[$this->sink])) {
            yield self::$lastAccepted[$this->sink];
        }

        if ($failed !== null) {
            yield from $this->someOf($failed);
        }

        $samples = new ProbeEvents($this->lease, $this->codec);
        [$behind, $number] = [$isOfNow ? [] : $samples->delivered(), 0];

        foreach ($behind as $delivery) {
            yield $delivery;

            // Half of the probes that may arrive are kept for waiting events.
            if (! $this->isRolledBack() && ++$number >= intdiv(self::MAX_STORED_PROBES, 2)) {
                break;
            }
        }

        yield from $samples->waiting(self::SAMPLES);
    }

    /**
     * Returns random events of the batch, none of them twice.
     *
     * @return Generator<int, Delivery>
     */
    private function someOf(Delivery $failed): Generator
    {
        $numbers = range(0, max(0, count($failed->batch) - 1));

        foreach ((array) array_rand($numbers, min(self::PROBES_OF_FAILED_BATCH, count($numbers))) as $number) {
            yield $failed->slice($number, 1);
        }
    }

    /** @return int<0, max> */
    public function probes(): int
    {
        return count($this->probed);
    }
}
