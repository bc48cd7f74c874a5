<?php

declare(strict_types=1);

namespace Headroom\Load\Run;

use Headroom\Load\DueTimes;
use Headroom\Load\Share;

/**
 * The open model: requests are due at fixed times. One that finds as many in flight as there may be begins when one of
 * them has ended, and is late.
 *
 * @internal
 */
final class Arrivals implements Pace
{
    private int $number = 0;

    private int $inFlight = 0;

    private int $dropped = 0;

    /** PHP_INT_MAX when there are no more. */
    private int $next;

    private readonly int $end;

    private readonly int $concurrency;

    private readonly Share $share;

    /** @param int $concurrency of all processes together */
    public function __construct(private readonly DueTimes $times, int $concurrency, ?Share $share = null)
    {
        $this->share = $share ?? Share::whole();
        $this->concurrency = $this->share->count($concurrency);
        $this->end = $times->seconds() === INF ? PHP_INT_MAX : (int) ($times->seconds() * 1e9);
        $this->next = $this->time();
    }

    public function due(int $now): ?int
    {
        if ($this->next > $now) {
            return null;
        }

        if ($this->inFlight >= $this->concurrency) {
            if ($now >= $this->end) {
                $this->drop($now);
            }

            return null;
        }

        $due = $this->next;
        $this->number++;
        $this->inFlight++;
        $this->next = $this->time();

        return $due;
    }

    public function ended(int $now): void
    {
        $this->inFlight--;
    }

    public function next(): int
    {
        return $this->inFlight < $this->concurrency ? $this->next : PHP_INT_MAX;
    }

    /** How many should have begun by then and never did. Nothing is due any more. */
    public function drop(int $now): int
    {
        while ($this->next <= $now) {
            $this->number++;
            $this->dropped++;
            $this->next = $this->time();
        }

        $this->next = PHP_INT_MAX;

        return $this->dropped;
    }

    private function time(): int
    {
        $seconds = $this->times->secondsUntil($this->share->number($this->number));

        return $seconds === null ? PHP_INT_MAX : (int) ($seconds * 1e9);
    }
}
