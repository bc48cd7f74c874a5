<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Bench\Queues;

use DateTimeImmutable;
use Headroom\Core\Clock;

/**
 * Each reading is later than the one before by the next of the given times.
 */
final class ProbeClock implements Clock
{
    private int $nanos = 0;

    private int $looks = 0;

    /** @param non-empty-list<int> $micros the last one stays */
    public function __construct(private readonly array $micros) {}

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
        return $this->nanos += 1_000 * $this->micros[min($this->looks++, count($this->micros) - 1)];
    }

    public function sleep(int $micros): void {}
}
