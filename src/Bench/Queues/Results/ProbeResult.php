<?php

declare(strict_types=1);

namespace Headroom\Bench\Queues\Results;

/**
 * The result of a probe of the machine.
 *
 * @internal
 */
final readonly class ProbeResult
{
    /**
     * @param float $cpuMicros of a fixed piece of work
     * @param float $syncMicros until 4 kB are on the disk
     */
    public function __construct(public float $cpuMicros, public float $syncMicros) {}

    /** @return array{cpu_us: float, fdatasync_us: float} */
    public function toArray(): array
    {
        return ['cpu_us' => round($this->cpuMicros, 3), 'fdatasync_us' => round($this->syncMicros, 3)];
    }
}
