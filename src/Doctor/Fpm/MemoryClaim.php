<?php

declare(strict_types=1);

namespace Headroom\Doctor\Fpm;

use Headroom\Doctor\Evidence;

/**
 * The memory of the pools of one PHP-FPM if all of them are busy.
 *
 * @internal
 */
final readonly class MemoryClaim
{
    /**
     * @param FpmPool $pool any of them
     * @param int $sum bytes of the measured ones
     * @param int $largest bytes, the largest mean of a process in a pool
     */
    public function __construct(
        public FpmPool $pool,
        private int $sum = 0,
        private int $largest = 0,
        private bool $isWhole = true,
    ) {}

    /** @param int $mean bytes of a process */
    public function with(int $children, int $mean): self
    {
        return new self($this->pool, $this->sum + $children * $mean, max($this->largest, $mean), $this->isWhole);
    }

    /** A pool that was not measured. */
    public function without(): self
    {
        return new self($this->pool, $this->sum, $this->largest, false);
    }

    /** The worst distribution of process.max over the pools. */
    public function bytes(): int
    {
        return $this->most() === 0 || ! $this->isWhole ? $this->sum : min($this->sum, $this->most() * $this->largest);
    }

    public function processesIn(int|float $bytes): int
    {
        return max(1, (int) floor($bytes / max(1, $this->largest)));
    }

    public function evidence(): Evidence
    {
        return new Evidence(
            'process.max',
            $this->most() === 0 ? 'no limit' : (string) $this->most(),
            $this->pool->global->setting('process.max')->origin ?? 'default of PHP-FPM',
        );
    }

    private function most(): int
    {
        return max(0, $this->pool->global->integer('process.max') ?? 0);
    }
}
