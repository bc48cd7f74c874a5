<?php

declare(strict_types=1);

namespace Headroom\Load;

/**
 * The times at which the iterations of the open model are due.
 */
interface ArrivalTimes
{
    /**
     * Seconds from the start of the run; null after the last one. The calls have ascending numbers, which start at 0
     * and may have gaps.
     */
    public function secondsUntil(int $number): ?float;

    /** The time after which no iteration starts; INF if late iterations may start at any time. */
    public function seconds(): float;
}
