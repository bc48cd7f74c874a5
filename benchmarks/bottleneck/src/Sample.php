<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Bottleneck;

use Headroom\Core\SystemClock;
use Headroom\Doctor\Kernel\CpuTicks;

/**
 * Counters at one moment.
 */
final readonly class Sample
{
    /**
     * @param float $seconds of a monotonic clock
     * @param int $clients of Redis, including this one
     * @param int $connections that Redis has ever received
     * @param int $busyTicks of all CPUs, since the machine started
     * @param int $allTicks with the idle ones
     */
    public function __construct(
        public float $seconds,
        public int $clients,
        public int $connections,
        public int $busyTicks,
        public int $allTicks,
    ) {}

    public static function now(int $clients, int $connections): self
    {
        $cpu = CpuTicks::now();

        return new self(
            (new SystemClock)->monotonicNanos() / 1e9,
            $clients,
            $connections,
            $cpu->all - $cpu->idle,
            $cpu->all,
        );
    }
}
