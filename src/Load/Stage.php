<?php

declare(strict_types=1);

namespace Headroom\Load;

/**
 * A part of a run in which the virtual users, or the requests per second, change linearly from one number to another.
 */
final readonly class Stage
{
    private const MAX_SECONDS = 604_800.0;

    /** Virtual users, or requests per second. */
    private const MOST = 1_000_000.0;

    /** @throws InvalidPlan */
    public function __construct(public float $from, public float $to, public float $seconds)
    {
        foreach ([$from, $to] as $number) {
            // This form of the comparison refuses NAN too.
            if (! ($number >= 0.0 && $number <= self::MOST)) {
                throw InvalidPlan::option('stage', (string) $number, 'a target from 0 to '.(int) self::MOST);
            }
        }

        if (! ($seconds >= 0.001 && $seconds <= self::MAX_SECONDS)) {
            throw InvalidPlan::option('stage', (string) $seconds, 'a time from 0.001 to '.self::MAX_SECONDS.' seconds');
        }
    }

    public function at(float $seconds): float
    {
        return $this->from + ($this->to - $this->from) * min(1.0, $seconds / $this->seconds);
    }

    /** The number of requests that are due in the stage, if its numbers are requests per second. */
    public function requests(): float
    {
        return $this->seconds * ($this->from + $this->to) / 2;
    }

    /** Seconds after which this number of requests has been due. */
    public function secondsUntil(float $requests): float
    {
        if ($requests <= 0.0) {
            return 0.0;
        }

        $growth = ($this->to - $this->from) / $this->seconds;

        // Of the two forms of the root, this one does not divide by the growth, which is mostly 0.
        return 2 * $requests / ($this->from + sqrt(max(0.0, $this->from ** 2 + 2 * $growth * $requests)));
    }

    /** @return array{from: float, to: float, seconds: float} */
    public function toArray(): array
    {
        return ['from' => $this->from, 'to' => $this->to, 'seconds' => $this->seconds];
    }
}
