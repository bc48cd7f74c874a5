<?php

declare(strict_types=1);

namespace Headroom\Bench\Queues;

/**
 * A queue under test, as its application sees it.
 *
 * @internal
 */
interface Driver
{
    /**
     * @param int $first id of the first job; the others follow it
     * @throws UnableToBench
     */
    public function push(int $first, int $count, Workload $workload): void;

    /**
     * Jobs that wait, are delayed or are reserved.
     * @throws UnableToBench
     */
    public function size(): int;

    /**
     * Empties the queue, so that no job or leftover of the last run slows the next one.
     * @throws UnableToBench
     */
    public function reset(): void;
}
