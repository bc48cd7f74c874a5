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
 * Whether a sink that has refused something takes anything at all: docs/adr/0025. What it took before is asked first,
 * then what waits.
 *
 * @internal
 */
final class SinkProbe
{
    private const MOST_SECONDS = 5;

    /** Of what waits. */
    private const SAMPLES = 2_000;

    /** Of what failed together: mostly it is one of a thousand that makes them fail. */
    private const OF_THE_FAILED = 4;

    /** Of those behind and those that wait, where each that is taken arrives once more. */
    private const MOST_THAT_ARRIVE = 24;

    /** A sink that is away is not to be asked for seconds. */
    private const MOST_OF_THE_MOMENT = 12;

    /** @var ?WeakMap<SupportsProbe, Delivery> what each took last, for as long as the process lives */
    private static ?WeakMap $taken = null;

    /** @var array<string, true> events that it was asked about the last time, by where they end */
    private array $asked = [];

    public function __construct(
        private readonly SupportsProbe $sink,
        private readonly ConsumerLease $lease,
        private readonly Codec $codec,
        private readonly Clock $clock,
    ) {}

    /** Elsewhere what is tried arrives. */
    public function leavesNoTrace(): bool
    {
        return $this->sink instanceof ExactlyOnce;
    }

    /** It has taken these in their turn. */
    public function hasTaken(Delivery $delivery): void
    {
        // Cut off first: a batch makes all its rows when it is asked for one record.
        $last = $delivery->slice(max(0, count($delivery->batch) - 1), 1);
        self::$taken ??= new WeakMap;
        // A copy of the record: the batch would keep all that was read with it in memory.
        $copy = Batch::of([$last->batch->record(0)]);
        self::$taken[$this->sink] = new Delivery($last->source, $last->from, $last->to, $copy);
    }

    /**
     * @param ?Delivery $failed what others of it came with
     * @param bool $isOfNow what it took before tells nothing
     */
    public function takesAnything(?Delivery $failed = null, bool $isOfNow = false): bool
    {
        $until = $this->clock->monotonicNanos() + self::MOST_SECONDS * 1_000_000_000;
        [$this->asked, $ofTheMoment] = [[], 0];

        foreach ($this->candidates($failed, $isOfNow) as $delivery) {
            try {
                if ($delivery !== null && ! isset($this->asked[$delivery->to->toString()])) {
                    $this->asked[$delivery->to->toString()] = true;
                    $this->sink->probe($delivery);
                    $this->hasTaken($delivery);

                    return true;
                }
            } catch (RetryLater) {
                return false;
            } catch (Throwable $e) {
                // The next one may be another kind of event.
                $ofTheMoment += $e instanceof Retryable ? 1 : 0;
            }

            if ($ofTheMoment >= self::MOST_OF_THE_MOMENT || $this->clock->monotonicNanos() >= $until) {
                return false;
            }

            if (count($this->asked) >= self::MOST_THAT_ARRIVE && ! $this->leavesNoTrace()) {
                return false;
            }
        }

        return false;
    }

    /** @return Generator<int, ?Delivery> null where no event is found to be one */
    private function candidates(?Delivery $failed, bool $isOfNow): Generator
    {
        if (! $isOfNow && isset(self::$taken[$this->sink])) {
            yield self::$taken[$this->sink];
        }

        if ($failed !== null) {
            yield from $this->someOf($failed);
        }

        $samples = new ProbeEvents($this->lease, $this->codec);
        [$behind, $number] = [$isOfNow ? [] : $samples->fromBehind(), 0];

        foreach ($behind as $delivery) {
            yield $delivery;

            // Half of those that may arrive are left for what waits.
            if (! $this->leavesNoTrace() && ++$number >= intdiv(self::MOST_THAT_ARRIVE, 2)) {
                break;
            }
        }

        yield from $samples->fromAhead(self::SAMPLES);
    }

    /**
     * Each once: of two events that failed together both are asked about.
     *
     * @return Generator<int, Delivery>
     */
    private function someOf(Delivery $failed): Generator
    {
        $numbers = range(0, max(0, count($failed->batch) - 1));

        foreach ((array) array_rand($numbers, min(self::OF_THE_FAILED, count($numbers))) as $number) {
            yield $failed->slice($number, 1);
        }
    }

    /** @return int<0, max> */
    public function asked(): int
    {
        return count($this->asked);
    }
}
