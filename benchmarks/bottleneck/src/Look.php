<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Bottleneck;

use Headroom\Core\SystemClock;

/**
 * Counters at one moment.
 */
final readonly class Look
{
    /**
     * @param float $seconds of a clock that never goes back
     * @param int $clients of Redis, the one that looks among them
     * @param int $connections that Redis has ever received
     * @param int $busyTicks of all CPUs, since the machine started
     * @param int $allTicks those and the idle ones
     */
    public function __construct(public float $seconds, public int $clients, public int $connections, public int $busyTicks, public int $allTicks) {}

    public static function now(int $clients, int $connections): self
    {
        $fields = array_map(intval(...), array_slice(preg_split('/\s+/', (string) strtok((string) file_get_contents('/proc/stat'), "\n")) ?: [], 1, 8));
        $all = array_sum($fields);

        // The 4th is idle, the 5th waits for a disk.
        return new self((new SystemClock)->monotonicNanos() / 1e9, $clients, $connections, $all - ($fields[3] ?? 0) - ($fields[4] ?? 0), $all);
    }
}
