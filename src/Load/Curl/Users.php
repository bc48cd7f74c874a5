<?php

declare(strict_types=1);

namespace Headroom\Load\Curl;

use Headroom\Load\Plan;
use SplQueue;

/**
 * The closed model: each user begins its next request when the last has ended, or so long after. Users that pause begin
 * evenly over the first pause, or they would all come at once again and again.
 *
 * @internal
 */
final class Users implements Pace
{
    /** @var SplQueue<int> from when on each of those who have nothing in flight has its next; in the order of these times */
    private SplQueue $idle;

    private readonly int $pause;

    public function __construct(Plan $plan)
    {
        $this->idle = new SplQueue;
        $this->pause = (int) ($plan->pause * 1e9);
        $users = min($plan->concurrency, $plan->samples ?? PHP_INT_MAX);

        for ($number = 0; $number < $users; $number++) {
            $this->idle->enqueue(intdiv($this->pause * $number, $users));
        }
    }

    public function due(int $now): ?int
    {
        if ($this->idle->isEmpty() || $this->idle->bottom() > $now) {
            return null;
        }

        $this->idle->dequeue();

        return $now;
    }

    public function ended(int $now): void
    {
        $this->idle->enqueue($now + $this->pause);
    }

    public function next(): int
    {
        return $this->idle->isEmpty() ? PHP_INT_MAX : $this->idle->bottom();
    }
}
