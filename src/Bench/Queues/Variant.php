<?php

declare(strict_types=1);

namespace Headroom\Bench\Queues;

/**
 * One row of the table: a driver, what it is given, and how its workers are set up.
 *
 * @internal
 */
final readonly class Variant
{
    /**
     * @param string $name unique among those that are compared
     * @param array<string, mixed> $work what the worker command is told besides where to write
     */
    public function __construct(public string $name, public Driver $driver, public DriverFacts $facts, public Workload $workload, public array $work) {}

    public function given(Workload $workload): self
    {
        return new self($this->name, $this->driver, $this->facts, $workload, $this->work);
    }
}
