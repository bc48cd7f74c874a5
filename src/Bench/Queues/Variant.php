<?php

declare(strict_types=1);

namespace Headroom\Bench\Queues;

/**
 * One row of the table: a driver, and its workload.
 *
 * @internal
 */
final readonly class Variant
{
    /** @param string $name unique among the compared variants: the driver's, and after a comma the row's */
    public function __construct(public string $name, public DriverFacts $facts, public Workload $workload) {}

    public function withWorkload(Workload $workload): self
    {
        return new self($this->name, $this->facts, $workload);
    }

    /** With the conditions that its figures depend on. */
    public function label(): string
    {
        return $this->name.($this->workload->workers === 1 ? ', one worker' : '');
    }

    public function driver(): string
    {
        return explode(', ', $this->name)[0];
    }
}
