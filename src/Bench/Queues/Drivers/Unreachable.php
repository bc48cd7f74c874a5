<?php

declare(strict_types=1);

namespace Headroom\Bench\Queues\Drivers;

use Headroom\Bench\Queues\Driver;
use Headroom\Bench\Queues\UnableToBench;
use Headroom\Bench\Queues\Workload;

/**
 * A connection that cannot be created: its row has the reason, and the benchmark measures the others.
 *
 * @internal
 */
final readonly class Unreachable implements Driver
{
    public function __construct(private UnableToBench $why) {}

    public function push(int $first, int $count, Workload $workload): void
    {
        throw $this->why;
    }

    public function size(): int
    {
        throw $this->why;
    }

    public function reset(): void
    {
        throw $this->why;
    }
}
