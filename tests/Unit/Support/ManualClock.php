<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Support;

use DateTimeImmutable;
use Headroom\Core\Clock;

final class ManualClock implements Clock
{
    private int $nanos = 0;

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
        $this->nanos += $micros * 1_000;
    }
}
