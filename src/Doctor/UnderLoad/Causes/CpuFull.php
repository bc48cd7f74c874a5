<?php

declare(strict_types=1);

namespace Headroom\Doctor\UnderLoad\Causes;

use Headroom\Doctor\Evidence;
use Headroom\Doctor\UnderLoad\Bottleneck;
use Headroom\Doctor\UnderLoad\Cause;
use Headroom\Doctor\UnderLoad\CauseDetector;
use Headroom\Doctor\UnderLoad\Recording;
use Headroom\Doctor\UnderLoad\Waits\WaitKind;

/**
 * @internal
 */
final readonly class CpuFull implements CauseDetector
{
    /** Share of the time of busy processes. With less, they mostly wait for something else. */
    private const MIN_WORKING_SHARE = 0.4;

    private const MAX_THROTTLED_SHARE = 0.5;

    public function in(Recording $recording): ?Cause
    {
        $idle = $recording->idle();
        $working = $this->working($recording);

        // Processes that a quota throttles would wait on idle CPUs too.
        [$throttled, $periods] = $recording->throttledPeriods() ?? [0, 1];

        if (
            $throttled > self::MAX_THROTTLED_SHARE * $periods
            || $idle === null
            || ! $recording->isCpuFull()
            || ! $recording->isDegraded()
            || ($working !== null && $working < self::MIN_WORKING_SHARE)
        ) {
            return null;
        }

        $shares = $recording->cpu();
        $most = array_key_first($shares);
        $evidence = [];

        foreach ($shares as $kind => $share) {
            $evidence[] = new Evidence(
                "CPU time of {$kind}",
                sprintf('%.0f %% of the machine', 100 * $share),
                '/proc/PID/stat',
            );
        }

        return new Cause(
            Bottleneck::CpuFull,
            (1 - $idle) * ($working ?? 0.5),
            sprintf(
                'Requests wait for the CPUs, which are %.0f %% busy%s.',
                100 * (1 - $idle),
                $most === null ? '' : sprintf(': %s takes %.0f %% of all CPU time', $most, 100 * $shares[$most]),
            ),
            [...$evidence, ...$recording->evidence()],
            $recording->severity(),
            'Find the code that takes the time: first opcache (checks O1 to O12) and the caches of Laravel (L1),'
                .' then a profiler. More processes do not help; more CPUs do.',
        );
    }

    /**
     * The share of their time on a CPU, waiting for a CPU, or waiting for each other in the kernel;
     * null if most cannot be inspected.
     */
    private function working(Recording $recording): ?float
    {
        $busy = $recording->waits->busy();
        $seen = $busy - $recording->waits->of(WaitKind::Unknown);

        return $seen <= 0.0 || $seen < 0.5 * $busy
            ? null
            : $recording->waits->of(WaitKind::Working, WaitKind::KernelLock, WaitKind::Other) / $seen;
    }
}
