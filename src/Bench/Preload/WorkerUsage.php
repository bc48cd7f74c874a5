<?php

declare(strict_types=1);

namespace Headroom\Bench\Preload;

/**
 * The kernel's figures of a worker. The ticks of 10 ms in /proc/PID/stat are too coarse for a request.
 *
 * @internal
 */
final readonly class WorkerUsage
{
    public function __construct(private string $proc = '/proc') {}

    /**
     * CPU time so far: Documentation/scheduler/sched-stats.rst.
     * @throws UnableToMeasure
     */
    public function cpuNanos(int $pid): int
    {
        $nanos = strtok((string) @file_get_contents("{$this->proc}/{$pid}/schedstat"), ' ');

        // A kernel without CONFIG_SCHED_INFO has no such file, or only zeros in it.
        return is_string($nanos) && (int) $nanos > 0
            ? (int) $nanos
            : throw UnableToMeasure::noCpuTime("{$this->proc}/{$pid}/schedstat");
    }

    /** @throws UnableToMeasure */
    public function bytes(int $pid): int
    {
        $rollup = (string) @file_get_contents("{$this->proc}/{$pid}/smaps_rollup");

        return preg_match('/^Pss:\s+(\d+) kB$/m', $rollup, $m) === 1
            ? 1024 * (int) $m[1]
            : throw UnableToMeasure::noMemory("{$this->proc}/{$pid}/smaps_rollup");
    }
}
