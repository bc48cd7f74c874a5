<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault\Support;

use DateTimeImmutable;
use Headroom\Core\Clock;

/**
 * Goes only where it is told to go.
 */
final class SetClock implements Clock
{
    public function __construct(public int $micros) {}

    public function now(): DateTimeImmutable
    {
        return new DateTimeImmutable('@'.intdiv($this->micros, 1_000_000));
    }

    public function micros(): int
    {
        return $this->micros;
    }

    public function monotonicNanos(): int
    {
        return $this->micros * 1000;
    }

    public function sleep(int $micros): void
    {
        $this->micros += $micros;
    }
}
