<?php

declare(strict_types=1);

namespace Headroom\Spool\Flush;

use Generator;
use Headroom\Core\Clock;
use Headroom\Sink\Delivery;
use Headroom\Sink\ExactlyOnce;
use Headroom\Sink\RetryLater;
use Headroom\Sink\TriesOut;
use Throwable;

/**
 * Whether a sink that has refused something takes anything at all: docs/adr/0025. What it took before is asked first, then
 * what waits.
 *
 * @internal
 */
final class Inquest
{
    private const MOST_SECONDS = 5;

    /** Of what waits. */
    private const SAMPLES = 2_000;

    /** Where each that is taken arrives once more. */
    private const SAMPLES_THAT_ARRIVE = 8;

    /** @var int<0, max> events that it was asked about the last time */
    private int $asked = 0;

    /** The one that it took the last time. */
    private ?Delivery $taken = null;

    public function __construct(private readonly TriesOut $sink, private readonly Samples $samples, private readonly Clock $clock) {}

    public function takesAnything(): bool
    {
        $until = $this->clock->monotonicNanos() + self::MOST_SECONDS * 1_000_000_000;
        $this->asked = 0;

        foreach ($this->candidates() as $delivery) {
            $this->asked++;

            try {
                $this->sink->tryOut($delivery);
                $this->taken = $delivery;

                return true;
            } catch (RetryLater) {
                return false;
            } catch (Throwable) {
                // The next one may be another kind of event.
            }

            if ($this->clock->monotonicNanos() >= $until) {
                return false;
            }
        }

        return false;
    }

    /** @return Generator<int, Delivery> */
    private function candidates(): Generator
    {
        if ($this->taken !== null) {
            yield $this->taken;
        }

        yield from $this->samples->fromBehind();
        yield from $this->samples->fromAhead($this->sink instanceof ExactlyOnce ? self::SAMPLES : self::SAMPLES_THAT_ARRIVE);
    }

    /** @return int<0, max> */
    public function asked(): int
    {
        return $this->asked;
    }
}
