<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Bench\Queues;

use DateTimeImmutable;
use Headroom\Core\Clock;
use Headroom\Core\SystemClock;

/**
 * The real time. When a file says that nothing happens any more, the next two sleeps take 100 s more: after the first
 * one whoever watches may still see something that had happened before. Those that end processes
 * wait in real time again.
 */
final class HurryingClock implements Clock
{
    private const JUMP_NANOS = 100_000_000_000;

    private const JUMPS = 2;

    /** A calm moment of the machine is not waited for. */
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
