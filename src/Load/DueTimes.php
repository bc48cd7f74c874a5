<?php

declare(strict_types=1);

namespace Headroom\Load;

/**
 * When the requests of the open model are due.
 */
interface DueTimes
{
    /**
     * From the start of the run; null when there are not so many. Asked in the order of the numbers,
     * which count from 0 and may leave some out.
     */
    public function secondsUntil(int $number): ?float;

    /** After which nothing begins any more; INF when whatever was due in time may still begin. */
    public function seconds(): float;
}
