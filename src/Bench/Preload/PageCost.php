<?php

declare(strict_types=1);

namespace Headroom\Bench\Preload;

use Headroom\Bench\PairedComparison;
use Headroom\Bench\Samples;

/**
 * The cost of a request of a page for its worker.
 *
 * @internal
 */
final readonly class PageCost
{
    /**
     * @param Samples $cpu microseconds on a CPU
     * @param Samples $wall microseconds from the connection to the last byte
     * @param PairedComparison $compared CPU time with that of the base
     * @param float $floor the difference between two pools of the base
     * @param bool $isChanged whether the page answers otherwise, so that its cost means nothing
     */
    public function __construct(
        public Samples $cpu,
        public Samples $wall,
        public PairedComparison $compared,
        public float $floor,
        public bool $isChanged,
    ) {}

    /** Null if the page answers otherwise. */
    public function change(): ?float
    {
        return $this->isChanged ? null : $this->compared->change();
    }

    public function isSeen(): bool
    {
        return ! $this->isChanged && $this->compared->isSeen($this->floor);
    }

    /** @return array<string, mixed> */
    public function toArray(): array
    {
        return [
            'cpu_us' => $this->cpu->toArray(),
            'wall_us' => $this->wall->toArray(),
            'cpu_ratio' => $this->compared->toArray(),
            'floor' => round($this->floor, 4),
            'seen' => $this->isSeen(),
            'answers_otherwise' => $this->isChanged,
        ];
    }
}
