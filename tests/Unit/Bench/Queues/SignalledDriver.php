<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Bench\Queues;

use Headroom\Bench\InterruptHandler;
use Headroom\Bench\Queues\Driver;
use Headroom\Bench\Queues\Workload;
use Headroom\Process\Signal;

/**
 * A signal arrives in the middle of each of its calls.
 */
final class SignalledDriver implements Driver
{
    public bool $isDone = false;

    public function __construct(private readonly InterruptHandler $interrupts) {}

    public function push(int $first, int $count, Workload $workload): void
    {
        $this->work();
    }

    public function size(): int
    {
        $this->work();

        return 0;
    }

    public function reset(): void
    {
        $this->work();
    }

    private function work(): void
    {
        $this->interrupts->handle(Signal::Terminate->value);
        $this->isDone = true;
    }
}
