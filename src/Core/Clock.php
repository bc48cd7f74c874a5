<?php

declare(strict_types=1);

namespace Headroom\Core;

use Psr\Clock\ClockInterface;

/**
 * The source of time. Only implementations call time(), microtime() or sleep(), so that a test can control time.
 */
interface Clock extends ClockInterface
{
    /** Microseconds since the Unix epoch, for times that are stored. May jump when the host's clock is set. */
    public function micros(): int;

    /**
     * Nanoseconds, for durations. Never goes backwards; all processes of the machine share its origin, usually the
     * boot.
     */
    public function monotonicNanos(): int;

    /** Sleeps for some microseconds. Returns early if a signal arrives. */
    public function sleep(int $micros): void;
}
