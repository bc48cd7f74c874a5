<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Bench\Queues;

use DateTimeImmutable;
use Headroom\Core\Clock;
use Headroom\Core\SystemClock;

/**
 * The real time. When a file says that nothing more will happen, the next two sleeps take 100 s more: after the first
 * one, an observer may still see earlier events. Sleeps that end processes take real time again.
 */
final class HurryingClock implements Clock
{
    private const JUMP_NANOS = 100_000_000_000;

    private const JUMPS = 2;

    /** The clock does not wait for a calm moment of the machine. */
    private const LONGEST_MICROS = 10_000;

    private int $jumps = 0;

    private readonly SystemClock $clock;

    public function __construct(private readonly string $quiet)
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
        return $this->clock->monotonicNanos() + $this->jumps * self::JUMP_NANOS;
    }

    public function sleep(int $micros): void
    {
        $this->clock->sleep(min($micros, self::LONGEST_MICROS));
        clearstatcache(true, $this->quiet);

        if ($this->jumps < self::JUMPS && is_file($this->quiet)) {
            $this->jumps++;
        }
    }
}
