<?php

declare(strict_types=1);

namespace Headroom\Core;

use DateTimeImmutable;
use DateTimeZone;

/**
 * The clock of the operating system.
 */
final readonly class SystemClock implements Clock
{
    public function now(): DateTimeImmutable
    {
        return new DateTimeImmutable('now', new DateTimeZone('UTC'));
    }

    public function micros(): int
    {
        return (int) (microtime(true) * 1_000_000);
    }

    public function monotonicNanos(): int
    {
        return hrtime(true);
    }

    public function sleep(int $micros): void
    {
        if ($micros > 0) {
            usleep($micros);
        }
    }
}
