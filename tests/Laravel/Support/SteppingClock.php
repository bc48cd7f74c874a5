<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel\Support;

use Closure;
use DateTimeImmutable;
use Headroom\Core\Clock;
use Headroom\Core\SystemClock;

/**
 * Stands still, but for what is slept; sleeping takes no time and lets something happen instead.
 */
final class SteppingClock implements Clock
{
    public int $sleeps = 0;

    private int $slept = 0;

    private readonly int $start;

    /**
     * @param ?Closure(int): void $during is told how often has been slept; not for waits below 10 ms
     * @param int $perLook microseconds that pass at each look at the clock
     */
    public function __construct(private readonly ?Closure $during = null, private readonly int $perLook = 0)
    {
        $this->start = (new SystemClock)->micros();
    }

    public function now(): DateTimeImmutable
    {
        return new DateTimeImmutable('@'.intdiv($this->start + $this->slept, 1_000_000));
    }

    public function micros(): int
    {
        return $this->start + $this->slept;
    }

    public function monotonicNanos(): int
    {
        $this->slept += $this->perLook;

        return 1000 * $this->slept;
    }

    public function sleep(int $micros): void
    {
        $this->slept += $micros;

        if ($micros >= 10_000) {
            $this->sleeps++;
            $this->during?->__invoke($this->sleeps);
        }
    }
}
