<?php

declare(strict_types=1);

namespace Headroom\Doctor\Kernel;

use Headroom\Core\Clock;
use Headroom\Core\SystemClock;
use Headroom\Doctor\FactUnavailable;

/**
 * The CPU time of the machine during a second. In a container it is the time of the host.
 *
 * @internal
 */
final readonly class CpuWindow
{
    private const MICROS = 400_000;

    /**
     * @param float $idle share of all CPU time, including waits for a disk
     * @param float $stolen share that the host gave to other guests
     */
    private function __construct(public float $idle, public float $stolen, public string $source) {}

    /** @throws FactUnavailable */
    public static function measure(KernelFiles $files = new KernelFiles, Clock $clock = new SystemClock): self
    {
        $before = CpuTicks::now($files);
        $clock->sleep(self::MICROS);
        $after = CpuTicks::now($files);
        $all = max(1, $after->all - $before->all);

        // iowait may decrease: proc_stat(5).
        return new self(
            max(0, $after->idle - $before->idle) / $all,
            max(0, $after->stolen - $before->stolen) / $all,
            '/proc/stat, over 0.4 s',
        );
    }
}
