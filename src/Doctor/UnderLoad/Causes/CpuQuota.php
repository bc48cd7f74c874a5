<?php

declare(strict_types=1);

namespace Headroom\Doctor\UnderLoad\Causes;

use Headroom\Doctor\Evidence;
use Headroom\Doctor\UnderLoad\Bottleneck;
use Headroom\Doctor\UnderLoad\Cause;
use Headroom\Doctor\UnderLoad\CauseDetector;
use Headroom\Doctor\UnderLoad\Recording;

/**
 * @internal
 */
final readonly class CpuQuota implements CauseDetector
{
    private const MIN_THROTTLED_SHARE = 0.2;

    public function in(Recording $recording): ?Cause
    {
        [$throttled, $periods] = $recording->throttledPeriods() ?? [0, 1];

        if ($throttled < self::MIN_THROTTLED_SHARE * $periods || ! $recording->isDegraded()) {
            return null;
        }

        return new Cause(
            Bottleneck::CpuQuota,
            $throttled / $periods,
            sprintf(
                'Requests wait for CPU time because of a quota: the control group of PHP-FPM was throttled in %.0f %%'
                    .' of its periods%s.',
                100 * $throttled / $periods,
                $recording->idleSuffix(),
            ),
            [
                new Evidence(
                    'throttled periods',
                    "{$throttled} of {$periods}",
                    'cpu.stat of the control group of PHP-FPM',
                ),
                ...$recording->evidence(),
            ],
            $recording->severity(),
            'Raise the quota (CPUQuota= of the unit, --cpus of the container, resources.limits.cpu), or lower the'
                .' number of processes.',
        );
    }
}
