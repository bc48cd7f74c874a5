<?php

declare(strict_types=1);

namespace Headroom\Load\Executor;

use SplQueue;

/**
 * Virtual users between two iterations: those that may start the next one, and those that still pause.
 *
 * @internal
 */
final class IdleVus
{
    /** @var SplQueue<int> the end of each pause; pauses are equally long, so the first to begin is the first to end */
    private SplQueue $pauses;

    private int $ready = 0;

    /** @param int $pause nanoseconds after each iteration */
    public function __construct(private readonly int $pause)
    {
        $this->pauses = new SplQueue;
    }

    public function add(int $vus): void
    {
        $this->ready += $vus;
    }

    public function addPausing(int $until): void
    {
        $this->pauses->enqueue($until);
    }

    /** @return int the number of virtual users that left: those that are not ready stay */
    public function remove(int $vus): int
    {
        $removed = min($this->ready, $vus);
        $this->ready -= $removed;

        return $removed;
    }

    /** Ends the pauses that are over. */
    public function wake(int $now): void
    {
        while ($this->pause > 0 && ! $this->pauses->isEmpty() && $this->pauses->bottom() <= $now) {
            $this->pauses->dequeue();
            $this->ready++;
        }
    }

    public function take(): bool
    {
        if ($this->ready === 0) {
            return false;
        }

        $this->ready--;

        return true;
    }

    public function giveBack(int $now): void
    {
        if ($this->pause > 0) {
            $this->pauses->enqueue($now + $this->pause);
        } else {
            $this->ready++;
        }
    }

    /** The time at which the next virtual user is ready; PHP_INT_MAX if all are busy. */
    public function nextReady(): int
    {
        return match (true) {
            $this->ready > 0 => 0,
            $this->pauses->isEmpty() => PHP_INT_MAX,
            default => $this->pauses->bottom(),
        };
    }
}
