<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Load;

use DateTimeImmutable;
use Headroom\Core\Clock;
use Headroom\Core\SystemClock;

/**
 * The real time, and the number of times that it was read.
 */
final class CountingClock implements Clock
{
    public int $looks = 0;

    private readonly SystemClock $clock;

    public function __construct()
    {
        $this->clock = new SystemClock;
    }

    public function now(): DateTimeImmutable
    {
        return $this->clock->now();
    }

    public function micros(): int
    {
        return $this->clock->micros();
    }

    public function monotonicNanos(): int
    {
        $this->looks++;

        return $this->clock->monotonicNanos();
    }

    public function sleep(int $micros): void
    {
        $this->clock->sleep($micros);
    }
}
