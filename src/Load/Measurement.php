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
    /**
     * @param float $seconds from the start of the run
     * @param ?int $startedNanos when it began, by the clock that all processes of the machine share
     */
    public function __construct(
        public Tally $tally,
        public float $seconds,
        public float $cpuSeconds,
        public bool $stoppedEarly,
        public ?int $startedNanos = null,
    ) {}

    /** Of the core that a process runs on. */
    public function cpuShare(): float
    {
        return $this->seconds > 0.0 ? $this->cpuSeconds / $this->seconds : 0.0;
    }
}
