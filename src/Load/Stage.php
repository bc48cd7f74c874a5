<?php

declare(strict_types=1);

namespace Headroom\Load;

/**
 * A part of a run in which users, or requests per second, go evenly from one number to another.
 */
final readonly class Stage
{
    private const MAX_SECONDS = 604_800.0;

    /** Users, or requests per second. */
    private const MOST = 1_000_000.0;

    /** @throws InvalidPlan */
    public function __construct(public float $from, public float $to, public float $seconds)
    {
        foreach ([$from, $to] as $number) {
            // Written this way round, so that NAN is refused too.
            if (! ($number >= 0.0 && $number <= self::MOST)) {
                throw InvalidPlan::option('ramp', (string) $number, 'from 0 to '.(int) self::MOST.' at each end');
            }
        }

        if (! ($seconds >= 0.001 && $seconds <= self::MAX_SECONDS)) {
            throw InvalidPlan::option('ramp', (string) $seconds, 'from 0.001 to '.self::MAX_SECONDS.' seconds long');
        }
    }

    public function at(float $seconds): float
    {
        return $this->from + ($this->to - $this->from) * min(1.0, $seconds / $this->seconds);
    }

    /** How many requests are due in it, when its numbers are requests per second. */
    public function requests(): float
    {
        return $this->seconds * ($this->from + $this->to) / 2;
    }

    /** Seconds after which so many of them have been due. */
    public function secondsUntil(float $requests): float
    {
        if ($requests <= 0.0) {
            return 0.0;
        }

        $growth = ($this->to - $this->from) / $this->seconds;

        // Of the two forms of the root the one that needs no division by the growth, which is mostly 0.
        return 2 * $requests / ($this->from + sqrt(max(0.0, $this->from ** 2 + 2 * $growth * $requests)));
    }

    /** @return array{from: float, to: float, seconds: float} */
    public function toArray(): array
    {
        return ['from' => $this->from, 'to' => $this->to, 'seconds' => $this->seconds];
    }
}
