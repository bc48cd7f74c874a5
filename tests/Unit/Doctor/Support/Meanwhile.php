<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Doctor\Support;

use Closure;
use DateTimeImmutable;
use Headroom\Core\Clock;

/**
 * A clock by which something happens during a sleep.
 */
final class Meanwhile implements Clock
{
    private int $nanos = 0;

    /**
     * @param Closure(): mixed $happens
     * @param int $times as long as it was to be each sleep lasts, as where the machine stands still
     */
    public function __construct(private readonly Closure $happens, private readonly int $times = 1) {}

    public function now(): DateTimeImmutable
    {
        return new DateTimeImmutable('@0');
    }

    public function micros(): int
    {
        return intdiv($this->nanos, 1_000);
    }

    public function monotonicNanos(): int
    {
        return $this->nanos;
    }

    public function sleep(int $micros): void
    {
        $this->nanos += $micros * 1_000 * $this->times;
        ($this->happens)();
    }
}
