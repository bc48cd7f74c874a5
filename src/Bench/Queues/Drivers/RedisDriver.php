<?php

declare(strict_types=1);

namespace Headroom\Bench\Queues\Drivers;

use Headroom\Bench\Interrupted;
use Headroom\Bench\Queues\Driver;
use Headroom\Bench\Queues\UnableToBench;
use Headroom\Bench\Queues\Workload;
use Throwable;

/**
 * Laravel's driver for a Redis in use: a million jobs must not evict the application's keys.
 *
 * @internal
 */
final readonly class RedisDriver implements Driver
{
    public function __construct(private LaravelDriver $driver, private RedisNode $node, private string $name) {}

    public function push(int $first, int $count, Workload $workload): void
    {
        // Before each chunk again, because the application goes on writing. Single jobs leave the queue soon.
        if ($first === 0 || $count > 1) {
            $this->refuseOverfull($workload->jobs - $first, $workload);
        }

        $this->driver->push($first, $count, $workload);
    }

    public function size(): int
    {
        return $this->driver->size();
    }

    public function reset(): void
    {
        $this->driver->reset();
    }

    /** @throws UnableToBench */
    private function refuseOverfull(int $jobs, Workload $workload): void
    {
        $memory = $this->memory();
        $bytes = $this->driver->bytesOfOne($workload);
        $need = RedisMemory::needed($jobs, $bytes);
        $memory->has($need)
            ? null
            : throw UnableToBench::doesNotFit(
                $this->name,
                $jobs,
                $bytes,
                RedisMemory::megabytes($need),
                $memory->words(),
            );
    }

    /** @throws UnableToBench */
    private function memory(): RedisMemory
    {
        try {
            $info = $this->node->info('memory');
        } catch (Throwable $e) {
            throw Interrupted::within($e) ?? UnableToBench::memoryUnknown($this->name, $e);
        }

        return RedisMemory::told($info) ?? throw UnableToBench::memoryUnknown($this->name);
    }
}
