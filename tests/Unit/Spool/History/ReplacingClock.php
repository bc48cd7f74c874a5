<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Spool\History;

use Closure;
use DateTimeImmutable;
use Headroom\Core\Clock;
use Headroom\Core\SystemClock;

/**
 * Lets something happen during the first sleep.
 */
final class ReplacingClock implements Clock
{
    /** @param ?Closure(): void $during */
    public function __construct(private ?Closure $during) {}

    public function now(): DateTimeImmutable
    {
        return (new SystemClock)->now();
    }

    public function micros(): int
    {
        return (new SystemClock)->micros();
    }

    public function monotonicNanos(): int
    {
        return (new SystemClock)->monotonicNanos();
    }

    public function sleep(int $micros): void
    {
        [$during, $this->during] = [$this->during, null];
        $during?->__invoke();
    }
}
