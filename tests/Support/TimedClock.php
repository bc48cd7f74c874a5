<?php

declare(strict_types=1);

namespace Headroom\Tests\Support;

use Closure;
use DateTimeImmutable;
use Headroom\Core\Clock;
use RuntimeException;

/**
 * Sleeping takes no time. An action that a test plans for a second runs in the sleep that reaches that second.
 */
final class TimedClock implements Clock
{
    /** A loop without an end is to fail, not to hang. */
    private const MOST_SLEEPS = 10_000;

    public int $sleeps = 0;

    private int $nanos = 0;

    /** @var list<array{int, Closure(): void}> nanoseconds and what happens then */
    private array $plans = [];

    /** @param Closure(): void $what */
    public function at(int $second, Closure $what): void
    {
        $this->plans[] = [$second * 1_000_000_000, $what];
    }

    public function second(): int
    {
        return intdiv($this->nanos, 1_000_000_000);
    }

    public function now(): DateTimeImmutable
    {
        return new DateTimeImmutable("@{$this->second()}");
    }

    public function micros(): int
    {
        return intdiv($this->nanos, 1000);
    }

    public function monotonicNanos(): int
    {
        return $this->nanos;
    }

    public function sleep(int $micros): void
    {
        if (++$this->sleeps > self::MOST_SLEEPS) {
            throw new RuntimeException('The loop under test does not end.');
        }

        $this->nanos += $micros * 1000;
        $due = array_filter($this->plans, fn (array $plan): bool => $plan[0] <= $this->nanos);
        $this->plans = array_values(array_diff_key($this->plans, $due));

        foreach ($due as [, $what]) {
            $what();
        }
    }
}
