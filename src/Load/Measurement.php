<?php

declare(strict_types=1);

namespace Headroom\Load;

/**
 * What one process has seen of a run.
 *
 * @internal
 */
final readonly class Measurement
{
    /** @param float $seconds from the start of the run */
    public function __construct(public Tally $tally, public float $seconds, public float $cpuSeconds, public bool $stoppedEarly) {}

    /** Of the core that a process runs on. */
    public function cpuShare(): float
    {
        return $this->seconds > 0.0 ? $this->cpuSeconds / $this->seconds : 0.0;
    }
}
