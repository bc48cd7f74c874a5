<?php

declare(strict_types=1);

namespace Headroom\Bench\Queues;

/**
 * The size of a benchmark.
 *
 * @internal
 */
final readonly class BenchOptions
{
    /**
     * @param int<1, max> $jobs of a run, at least
     * @param float $seconds of a run, about
     * @param int<1, max> $workers
     * @param int<1, max> $runs of each row
     * @param int<1, max> $deep jobs in the queue of the scenario deep
     */
    public function __construct(
        public int $jobs = 10_000,
        public float $seconds = 10,
        public int $workers = 10,
        public int $runs = 10,
        public int $deep = 1_000_000,
    ) {}

    /** @param int<0, max> $payloadBytes */
    public function workload(int $payloadBytes = 0): Workload
    {
        return new Workload($this->jobs, $this->seconds, $this->workers, payloadBytes: $payloadBytes);
    }

    /** @return array<string, int|float> */
    public function toArray(): array
    {
        return [
            'jobs' => $this->jobs,
            'seconds' => $this->seconds,
            'workers' => $this->workers,
            'runs' => $this->runs,
            'deep' => $this->deep,
        ];
    }
}
