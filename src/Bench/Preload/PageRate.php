<?php

declare(strict_types=1);

namespace Headroom\Bench\Preload;

use Headroom\Bench\PairedComparison;
use Headroom\Bench\Samples;

/**
 * The requests per second of a page.
 *
 * @internal
 */
final readonly class PageRate
{
    /**
     * @param PairedComparison $compared with the base
     * @param Samples $workerShare share of the machine's CPU time that the workers used
     * @param Samples $clientShare share of the machine's CPU time that sending used
     */
    public function __construct(
        public Samples $perSecond,
        public PairedComparison $compared,
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
