<?php

declare(strict_types=1);

namespace Headroom\Load\Curl;

use Headroom\Load\Plan;
use Headroom\Load\Stages;
use SplQueue;

/**
 * The closed model: each user begins its next request when the last has ended, or so long after.
 *
 * @internal
 */
final class Users implements Pace
{
    /** How often a number of users that changes is looked at. */
    private const LOOK_NANOS = 10_000_000;

    /** @var SplQueue<int> from when on each of those who have nothing in flight has its next; in the order of these times */
    private SplQueue $idle;

    private int $users = 0;

    private readonly int $pause;

    private readonly ?Stages $stages;

    private int $looked = 0;

    public function __construct(Plan $plan)
    {
        $this->idle = new SplQueue;
        $this->pause = (int) ($plan->pause * 1e9);
        $this->stages = $plan->stages;

        if ($this->stages === null) {
            $this->place(min($plan->concurrency, $plan->samples ?? PHP_INT_MAX));
        }
    }

    public function due(int $now): ?int
    {
        $wanted = $this->stages === null ? $this->users : (int) round($this->stages->at($now / 1e9));
        $this->looked = $now;

        while (! $this->idle->isEmpty() && $this->idle->bottom() <= $now) {
            $this->idle->dequeue();

            if ($this->users <= $wanted) {
                return $now;
            }

            // One too many: it leaves after its answer.
            $this->users--;
        }

        if ($this->users >= $wanted) {
            return null;
        }

        $this->users++;

        return $now;
    }

    public function ended(int $now): void
    {
        $this->idle->enqueue($now + $this->pause);
    }

    public function next(): int
    {
        $next = $this->idle->isEmpty() ? PHP_INT_MAX : $this->idle->bottom();

        return $this->stages === null ? $next : min($next, $this->looked + self::LOOK_NANOS);
    }

    /** Those that pause begin evenly over the first pause, or they would all come at once again and again. */
    private function place(int $users): void
    {
        $this->users = $users;

        for ($number = 0; $number < $users; $number++) {
            $this->idle->enqueue(intdiv($this->pause * $number, $users));
        }
    }
}
