<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Load\Transport;

use DateTimeImmutable;
use Headroom\Core\Clock;

/**
 * It is when the test says it is.
 */
final class SetClock implements Clock
{
    public function __construct(public int $seconds) {}

    public function now(): DateTimeImmutable
    {
        return new DateTimeImmutable("@{$this->seconds}");
    }

    public function micros(): int
    {
        return $this->seconds * 1_000_000;
    }

    public function monotonicNanos(): int
    {
        return $this->seconds * 1_000_000_000;
    }

    public function sleep(int $micros): void {}
}
