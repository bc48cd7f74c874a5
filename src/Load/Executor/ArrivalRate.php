<?php

declare(strict_types=1);

namespace Headroom\Load\Executor;

use Headroom\Load\ArrivalTimes;
use Headroom\Load\ExecutionSegment;

/**
 * The open model, with a constant rate, a ramping rate or the times of a log: iterations are due at fixed times. If all
 * virtual users are busy then, the iteration starts late, when one of them is free. An iteration that still waits at
 * the end is dropped.
 *
 * @internal
 */
final class ArrivalRate implements Executor
{
    private int $number = 0;

    private int $active = 0;

    private int $dropped = 0;

    /** PHP_INT_MAX after the last one. */
    private int $nextDue;

    private readonly int $end;

    private readonly int $vus;

    /** @param int $vus of all processes together */
    public function __construct(
        private readonly ArrivalTimes $times,
        int $vus,
        private readonly ExecutionSegment $segment,
    ) {
        $this->vus = $segment->count($vus);
        $this->end = $times->seconds() === INF ? PHP_INT_MAX : (int) ($times->seconds() * 1e9);
        $this->nextDue = $this->dueTime();
    }

    public function start(int $now): ?int
    {
        if ($this->nextDue > $now) {
            return null;
        }

        if ($this->active >= $this->vus) {
            if ($now >= $this->end) {
                $this->dropRemaining($now);
            }

            return null;
        }

        $due = $this->nextDue;
        $this->number++;
        $this->active++;
        $this->nextDue = $this->dueTime();

        return $due;
    }

    public function ended(int $now): void
    {
        $this->active--;
    }

    public function nextStart(): int
    {
        return $this->active < $this->vus ? $this->nextDue : PHP_INT_MAX;
    }

    /** @return int all iterations that were due by now and never started; none starts after this call */
    public function dropRemaining(int $now): int
    {
        while ($this->nextDue <= $now) {
            $this->number++;
            $this->dropped++;
            $this->nextDue = $this->dueTime();
        }

        $this->nextDue = PHP_INT_MAX;

        return $this->dropped;
    }

    private function dueTime(): int
    {
        $seconds = $this->times->secondsUntil($this->segment->number($this->number));

        return $seconds === null ? PHP_INT_MAX : (int) ($seconds * 1e9);
    }
}
