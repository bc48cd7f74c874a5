<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Collector\Server;

use Headroom\Collector\Server\WorkerPool;
use Headroom\Process\Supervision\ProcessHandle;
use Headroom\Process\Supervision\SlotOptions;
use Headroom\Process\Supervision\WorkerSlot;
use Headroom\Process\UnableToStart;
use Headroom\Tests\Support\TimedClock;
use PHPUnit\Framework\TestCase;

/**
 * A pool without processes: one tick a second, of a clock that takes no time.
 */
abstract class WorkerPoolTestCase extends TestCase
{
    private const DRAIN_NANOS = 7_000_000_000;

    protected TimedClock $clock;

    /** @var list<FakeWorker> in the order of their starts */
    protected array $workers = [];

    /** @var list<int> the seconds at which a start was tried */
    protected array $tries = [];

    /** How many of the next starts fail. */
    protected int $failing = 0;

    protected function setUp(): void
    {
        $this->clock = new TimedClock;
    }

    protected function pool(string ...$names): WorkerPool
    {
        $slots = array_map(fn (string $name): WorkerSlot => new WorkerSlot(
            $name,
            fn (): ProcessHandle => $this->start($name),
            str_starts_with($name, 'flusher')
                ? new SlotOptions(provenSeconds: 3, maxFailures: 5)
                : new SlotOptions(sendsHeartbeats: true, maxFailures: 5),
        ), array_values($names));
        $isWorker = static fn (WorkerSlot $slot): bool => $slot->options->sendsHeartbeats;

        return new WorkerPool(
            array_values(array_filter($slots, $isWorker)),
            array_values(array_filter($slots, static fn (WorkerSlot $slot): bool => ! $isWorker($slot))),
            static function (): void {},
            $this->clock,
            self::DRAIN_NANOS,
        );
    }

    /** All of them work. */
    protected function ready(string ...$names): WorkerPool
    {
        $pool = $this->pool(...$names);
        $this->tick($pool);

        foreach ($this->workers as $worker) {
            $worker->send('ready');
        }

        $this->tick($pool);

        return $pool;
    }

    protected function tick(WorkerPool $pool, int $times = 1): void
    {
        for (; $times > 0; $times--) {
            $pool->tick();
            $this->clock->sleep(1_000_000);
        }
    }

    protected function last(): FakeWorker
    {
        return $this->workers[array_key_last($this->workers) ?? self::fail('None was started.')];
    }

    /** The one that was started last in a place. */
    protected function of(string $slot): FakeWorker
    {
        $of = array_filter($this->workers, static fn (FakeWorker $worker): bool => $worker->slot === $slot);

        return $of[array_key_last($of) ?? self::fail("None was started as {$slot}.")];
    }

    /** @return list<int> seconds */
    protected function starts(string $slot): array
    {
        $of = array_filter($this->workers, static fn (FakeWorker $worker): bool => $worker->slot === $slot);

        return array_column($of, 'second');
    }

    private function start(string $slot): ProcessHandle
    {
        $this->tries[] = $this->clock->second();

        if ($this->failing > 0) {
            $this->failing--;

            throw UnableToStart::process($slot, 'for the test');
        }

        return ($this->workers[] = new FakeWorker($slot, $this->clock->second()))->handle;
    }
}
