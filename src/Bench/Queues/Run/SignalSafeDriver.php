<?php

declare(strict_types=1);

namespace Headroom\Bench\Queues\Run;

use Headroom\Bench\Interruption;
use Headroom\Bench\Queues\Driver;
use Headroom\Bench\Queues\DriverUnderTest;
use Headroom\Bench\Queues\NeedsStatistics;
use Headroom\Bench\Queues\Workload;

/**
 * A driver whose work a signal waits for. Broken off while it pushes, a client may be left in the middle of a pipeline,
 * and takes what shall empty the queue for a part of that; broken off while it empties,
 * the rest stays on somebody's server.
 *
 * @internal
 */
final readonly class SignalSafeDriver implements Driver, NeedsStatistics
{
    public function __construct(private Driver $driver, private Interruption $interruption) {}

    public static function around(DriverUnderTest $contender, Interruption $interruption): DriverUnderTest
    {
        return new DriverUnderTest($contender->variant, new self($contender->driver, $interruption), $contender->work);
    }

    public function push(int $first, int $count, Workload $workload): void
    {
        $this->interruption->after(fn () => $this->driver->push($first, $count, $workload));
    }

    public function size(): int
    {
        return $this->interruption->after($this->driver->size(...));
    }

    public function reset(): void
    {
        $this->interruption->after($this->driver->reset(...));
    }

    public function analyze(): void
    {
        $this->driver instanceof NeedsStatistics ? $this->interruption->after($this->driver->analyze(...)) : null;
    }
}
