<?php

declare(strict_types=1);

namespace Headroom\Load\Metrics;

/**
 * The part of a result that one process measured.
 *
 * @internal
 */
final readonly class PartialResult
{
    /**
     * @param float $seconds from the start of the run
     * @param ?int $startedNanos by the monotonic clock of the machine
     */
    public function __construct(
        public Metrics $metrics,
        public float $seconds,
        public float $cpuSeconds,
        public bool $stoppedEarly,
        public ?int $startedNanos = null,
    ) {}

    /** Of one core. */
    public function cpuShare(): float
    {
        return $this->seconds > 0.0 ? $this->cpuSeconds / $this->seconds : 0.0;
    }
}
