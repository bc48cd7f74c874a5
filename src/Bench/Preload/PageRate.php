<?php

declare(strict_types=1);

namespace Headroom\Bench\Preload;

use Headroom\Bench\Paired;
use Headroom\Bench\Samples;

/**
 * How many requests of a page are answered per second.
 *
 * @internal
 */
final readonly class PageRate
{
    /**
     * @param Paired $compared with the base
     * @param Samples $workerShare of the machine's CPU time, that the workers had
     * @param Samples $clientShare of the machine's CPU time, that went into sending
     */
    public function __construct(
        public Samples $perSecond,
        public Paired $compared,
        public Samples $workerShare,
        public Samples $clientShare,
    ) {}

    /** @return array<string, mixed> */
    public function toArray(): array
    {
        return [
            'per_second' => $this->perSecond->toArray(),
            'ratio' => $this->compared->toArray(),
            'seen' => $this->compared->isSeen(),
            'worker_cpu_share' => round($this->workerShare->median(), 3),
            'client_cpu_share' => round($this->clientShare->median(), 3),
        ];
    }
}
