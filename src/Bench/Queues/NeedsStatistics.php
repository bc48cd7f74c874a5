<?php

declare(strict_types=1);

namespace Headroom\Bench\Queues;

/**
 * A driver whose server plans by what it knows of its tables. In life it comes to know that by itself, a minute after
 * many rows came; in a run it would learn it somewhere in the middle, or not at all.
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
