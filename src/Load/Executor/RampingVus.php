<?php

declare(strict_types=1);

namespace Headroom\Load\Executor;

use Headroom\Load\ExecutionSegment;
use Headroom\Load\Stages;

/**
 * The closed model with a number of virtual users that follows stages.
 *
 * @internal
 */
final class RampingVus implements Executor
{
    private const ADJUST_NANOS = 10_000_000;

    private readonly IdleVus $idle;

    private int $vus = 0;

    private int $adjustedAt = 0;

    /**
     * @param Stages $stages virtual users of all processes together
     * @param float $pause seconds after each iteration
     */
    public function __construct(
        private readonly Stages $stages,
        float $pause,
        private readonly ExecutionSegment $segment,
    ) {
        $this->idle = new IdleVus((int) ($pause * 1e9));
    }

    public function start(int $now): ?int
    {
        $this->idle->wake($now);
        $this->adjust($now, $this->segment->count((int) round($this->stages->at($now / 1e9))));

        return $this->idle->take() ? $now : null;
    }

    public function ended(int $now): void
    {
        $this->idle->giveBack($now);
    }

    public function nextStart(): int
    {
        return min($this->idle->nextReady(), $this->adjustedAt + self::ADJUST_NANOS);
    }

    /** A virtual user leaves between two iterations, never during one. */
    private function adjust(int $now, int $target): void
    {
        $this->adjustedAt = $now;

        if ($target > $this->vus) {
            $this->idle->add($target - $this->vus);
            $this->vus = $target;
        } elseif ($target < $this->vus) {
            $this->vus -= $this->idle->remove($this->vus - $target);
        }
    }
}
