<?php

declare(strict_types=1);

namespace Headroom\Load\Run;

use Headroom\Load\Plan;
use Headroom\Load\Share;
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

    /** @var SplQueue<int> until when each of those who pause does so; in the order of these times */
    private SplQueue $pausing;

    /** Users who have nothing in flight and do not pause. */
    private int $ready = 0;

    private int $users = 0;

    private readonly int $pause;

    private readonly ?Stages $stages;

    private int $looked = 0;

    private readonly Share $share;

    public function __construct(Plan $plan, ?Share $share = null)
    {
        $this->share = $share ?? Share::whole();
        $this->pausing = new SplQueue;
        $this->pause = (int) ($plan->pause * 1e9);
        $this->stages = $plan->stages;

        if ($this->stages === null) {
            $this->place($plan->mostInFlight());
        }
    }

    public function due(int $now): ?int
    {
        while ($this->pause > 0 && ! $this->pausing->isEmpty() && $this->pausing->bottom() <= $now) {
            $this->pausing->dequeue();
            $this->ready++;
        }

        if ($this->stages !== null) {
            $this->adjust($now, $this->share->count((int) round($this->stages->at($now / 1e9))));
        }

        if ($this->ready === 0) {
            return null;
        }

        $this->ready--;

        return $now;
    }

    public function ended(int $now): void
    {
        if ($this->pause > 0) {
            $this->pausing->enqueue($now + $this->pause);
        } else {
            $this->ready++;
        }
    }

    public function next(): int
    {
        return match (true) {
            $this->ready > 0 => 0,
            $this->stages !== null => min($this->nextAwake(), $this->looked + self::LOOK_NANOS),
            default => $this->nextAwake(),
        };
    }

    private function nextAwake(): int
    {
        return $this->pausing->isEmpty() ? PHP_INT_MAX : $this->pausing->bottom();
    }

    /** New users are ready at once; one too many leaves when it is ready, so after its answer. */
    private function adjust(int $now, int $wanted): void
    {
        $this->looked = $now;
        $change = $wanted > $this->users ? $wanted - $this->users : -min($this->ready, $this->users - $wanted);
        $this->users += $change;
        $this->ready += $change;
    }

    /**
     * Those that pause begin evenly over the first pause, or they would all come at once again and again.
     *
     * @param int $whole users of all processes
     */
    private function place(int $whole): void
    {
        $this->users = $this->share->count($whole);
        $this->ready = $this->pause > 0 ? 0 : $this->users;

        for ($number = 0; $number < $this->users && $this->pause > 0; $number++) {
            $this->pausing->enqueue(intdiv($this->pause * $this->share->number($number), $whole));
        }
    }
}
