<?php

declare(strict_types=1);

namespace Headroom\Bench\Queues;

/**
 * A driver that is always emptied to the end: half of it would stay on somebody's server.
 *
 * @internal
 */
final readonly class Unbroken implements Driver, NeedsStatistics
{
    public function __construct(private Driver $driver, private Interruption $interruption) {}

    public static function around(Contender $contender, Interruption $interruption): Contender
    {
        return new Contender($contender->variant, new self($contender->driver, $interruption), $contender->work);
    }

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
        $this->interruption->after($this->driver->reset(...));
    }

    public function analyze(): void
    {
        $this->driver instanceof NeedsStatistics ? $this->driver->analyze() : null;
    }
}
