<?php

declare(strict_types=1);

namespace Headroom\Core;

use Psr\Clock\ClockInterface;

/**
 * Time as the rooms see it. Nothing outside an implementation calls time(), microtime() or sleep().
 */
interface Clock extends ClockInterface
{
    /** Microseconds since the Unix epoch: for what is written down. May jump when the host's clock is set. */
    public function micros(): int;

    /** Nanoseconds from a start that all processes of the machine share, as a rule its boot: for durations. Never runs backwards. */
    public function monotonicNanos(): int;

    /** May return early when a signal arrives. */
    public function sleep(int $micros): void;
}
