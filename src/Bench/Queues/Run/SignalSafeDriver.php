<?php

declare(strict_types=1);

namespace Headroom\Bench\Queues\Run;

use Headroom\Bench\Interruption;
use Headroom\Bench\Queues\Driver;
use Headroom\Bench\Queues\DriverUnderTest;
use Headroom\Bench\Queues\NeedsStatistics;
use Headroom\Bench\Queues\Workload;

/**
 * A driver whose calls a signal does not interrupt. After an interrupted push, a client may be in the middle of a
 * pipeline and send the clearing of the queue as a part of it. After an interrupted clearing, jobs stay on the user's
 * server.
 *
 * @internal
 */
final readonly class SignalSafeDriver implements Driver, NeedsStatistics
{
    public function __construct(private Driver $driver, private Interruption $interruption) {}

    public static function around(DriverUnderTest $underTest, Interruption $interruption): DriverUnderTest
    {
        return new DriverUnderTest($underTest->variant, new self($underTest->driver, $interruption), $underTest->work);
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
