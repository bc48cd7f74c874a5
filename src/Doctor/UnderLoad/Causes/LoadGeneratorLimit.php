<?php

declare(strict_types=1);

namespace Headroom\Doctor\UnderLoad\Causes;

use Headroom\Doctor\Evidence;
use Headroom\Doctor\Severity;
use Headroom\Doctor\UnderLoad\Bottleneck;
use Headroom\Doctor\UnderLoad\Cause;
use Headroom\Doctor\UnderLoad\CauseDetector;
use Headroom\Doctor\UnderLoad\Recording;

/**
 * @internal
 */
final readonly class LoadGeneratorLimit implements CauseDetector
{
    /** If processes wait most of their time, the server is slow, even with a busy client. */
    private const WEIGHT = 0.45;

    public function in(Recording $recording): ?Cause
    {
        $traffic = $recording->traffic;

        return $traffic === null || $traffic->limits === [] ? null : new Cause(
            Bottleneck::ClientLimit,
            self::WEIGHT,
            sprintf(
                'The load generator is the limit (%s): it used %.0f %% of one core, and this stack may serve more'
                    .' than it sends.',
                implode(', ', $traffic->limits),
                100 * $traffic->clientCpu,
            ),
            [
                new Evidence(
                    'CPU time of the load generator',
                    sprintf('%.0f %% of one core', 100 * $traffic->clientCpu),
                    'the load',
                ),
                ...$recording->evidence(),
            ],
            Severity::Info,
            'Send the load from another machine, or treat the figures as a lower bound.',
        );
    }
}
