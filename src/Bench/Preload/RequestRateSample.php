<?php

declare(strict_types=1);

namespace Headroom\Bench\Preload;

/**
 * The throughput of one variant during some seconds of load.
 *
 * @internal
 */
final readonly class RequestRateSample
{
    /**
     * @param float $perSecond answers
     * @param float $workerShare share of the machine's CPU time that the pool's workers used
     * @param float $clientShare share of the machine's CPU time that sending used
     */
    public function __construct(public float $perSecond, public float $workerShare, public float $clientShare) {}
}
