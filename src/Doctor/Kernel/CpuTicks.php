<?php

declare(strict_types=1);

namespace Headroom\Doctor\Kernel;

use Headroom\Doctor\FactUnavailable;

/**
 * CPU time of the machine since it started, of all CPUs together, in ticks of 1/100 s.
 *
 * @internal
 */
final readonly class CpuTicks
{
    private const PATH = '/proc/stat';

    /**
     * @param int $all of all states
     * @param int $idle including waits for a disk
     * @param int $stolen that the host gave to other guests
     */
    private function __construct(public int $all, public int $idle, public int $stolen) {}

    /** @throws FactUnavailable */
    public static function now(KernelFiles $files = new KernelFiles): self
    {
        if (preg_match('/^cpu +((?:\d+ ){7}\d+)/m', $files->read(self::PATH), $m) !== 1) {
            throw UnreadableKernel::noField(self::PATH, 'line of all CPUs');
        }

        // user nice system idle iowait irq softirq steal: proc_stat(5). The time of guests is part of the first two.
        $ticks = array_map(intval(...), explode(' ', $m[1]));

        return new self(array_sum($ticks), ($ticks[3] ?? 0) + ($ticks[4] ?? 0), $ticks[7] ?? 0);
    }
}
