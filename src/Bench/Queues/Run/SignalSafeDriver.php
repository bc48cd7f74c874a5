<?php

declare(strict_types=1);

namespace Headroom\Bench\Queues\Run;

use Headroom\Bench\InterruptHandler;
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
    public function __construct(private Driver $driver, private InterruptHandler $interrupts) {}

    public static function around(DriverUnderTest $underTest, InterruptHandler $interrupts): DriverUnderTest
    {
        return new DriverUnderTest($underTest->variant, new self($underTest->driver, $interrupts), $underTest->work);
    }

    public function push(int $first, int $count, Workload $workload): void
    {
        $this->interrupts->shield(fn () => $this->driver->push($first, $count, $workload));
    }

    public function size(): int
    {
        return $this->interrupts->shield($this->driver->size(...));
    }

    public function reset(): void
    {
        $this->interrupts->shield($this->driver->reset(...));
    }

    public function analyze(): void
    {
        $this->driver instanceof NeedsStatistics ? $this->interrupts->shield($this->driver->analyze(...)) : null;
    }
}
