<?php

declare(strict_types=1);

namespace Headroom\Bench\Preload;

/**
 * The length of a measurement.
 *
 * @internal
 */
final readonly class MeasurementPlan
{
    /**
     * @param int<1, max> $starts of all pools; the CPU time is measured between them
     * @param int<1, max> $rounds from one start to the next
     * @param int<1, max> $requests by one variant at a time
     * @param int<1, max> $restarts of each variant
     * @param int<1, max> $bursts of load, for each page and variant
     */
    public function __construct(
        public int $starts,
        public int $rounds,
        public int $requests,
        public int $restarts,
        public int $bursts,
        public float $burstSeconds,
    ) {}

    /** Two or three minutes with ten variants: enough to see large differences. */
    public static function quick(): self
    {
        return new self(2, 5, 8, 3, 3, 0.5);
    }

    public static function full(): self
    {
        return new self(5, 12, 15, 12, 15, 1.5);
    }

    /** @return array<string, int|float> */
    public function toArray(): array
    {
        return [
            'starts' => $this->starts,
            'rounds' => $this->starts * $this->rounds,
            'requests_per_turn' => $this->requests,
            'turns_per_round' => CpuBenchmark::TURNS,
            'restarts' => $this->restarts,
            'bursts' => $this->bursts,
            'burst_s' => $this->burstSeconds,
        ];
    }
}
