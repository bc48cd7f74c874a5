<?php

declare(strict_types=1);

namespace Headroom\Bench\Queues;

/**
 * A driver whose server plans queries by statistics of its tables. In production the server updates them a minute
 * after many inserts; in a run it would do so somewhere in the middle, or not at all.
 *
 * @internal
 */
interface NeedsStatistics
{
    /**
     * After all jobs are queued, and before any is taken.
     *
     * @throws UnableToBench
     */
    public function analyze(): void;
}
