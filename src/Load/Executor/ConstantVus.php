<?php

declare(strict_types=1);

namespace Headroom\Load\Executor;

use Headroom\Load\ExecutionSegment;

/**
 * The closed model with a fixed number of virtual users: each starts its next iteration when the last one has ended, or
 * after a pause.
 *
 * @internal
 */
final readonly class ConstantVus implements Executor
{
    private IdleVus $idle;

    /**
     * Pausing virtual users start evenly over the first pause. Otherwise all of them would send at the same moments
     * during the whole run.
     *
     * @param int $vus of all processes together
     * @param float $pause seconds after each iteration
     */
    public function __construct(int $vus, float $pause, ExecutionSegment $segment)
    {
        $nanos = (int) ($pause * 1e9);
        $this->idle = new IdleVus($nanos);
        $own = $segment->count($vus);

        if ($nanos === 0) {
            $this->idle->add($own);

            return;
        }

        for ($number = 0; $number < $own; $number++) {
            $this->idle->addPausing(intdiv($nanos * $segment->number($number), $vus));
        }
    }

    public function start(int $now): ?int
    {
        $this->idle->wake($now);

        return $this->idle->take() ? $now : null;
    }

    public function ended(int $now): void
    {
        $this->idle->giveBack($now);
    }

    public function nextStart(): int
    {
        return $this->idle->nextReady();
    }
}
