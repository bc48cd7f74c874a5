<?php

declare(strict_types=1);

namespace Headroom\Bench\Queues\Drivers;

use Headroom\Bench\Queues\Driver;
use Headroom\Bench\Queues\NeedsStatistics;
use Headroom\Bench\Queues\Workload;

/**
 * Laravel's driver for the benchmark's own table, with the maintenance that a table in use has.
 *
 * @internal
 */
final readonly class DatabaseDriver implements Driver, NeedsStatistics
{
    public function __construct(private LaravelDriver $driver, private JobsTable $table) {}

    public function push(int $first, int $count, Workload $workload): void
    {
        $this->driver->push($first, $count, $workload);
    }

    public function size(): int
    {
        return $this->driver->size();
    }

    public function reset(): void
    {
        $this->driver->reset();
        $this->table->empty();
    }

    public function analyze(): void
    {
        $this->table->analyze();
    }
}
