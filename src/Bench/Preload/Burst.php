<?php

declare(strict_types=1);

namespace Headroom\Bench\Preload;

/**
 * Some seconds of load.
 *
 * @internal
 */
final readonly class Burst
{
    /**
     * @param float $perSecond answers
     * @param float $workerShare of all CPU time of the machine, that the pool's workers had
     * @param float $clientShare of all CPU time of the machine, that went into sending
     */
    public function __construct(public float $perSecond, public float $workerShare, public float $clientShare) {}
}
