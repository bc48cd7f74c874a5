<?php

declare(strict_types=1);

namespace Headroom\Bench\Queues;

/**
 * One row of the table: a driver, and what it is given to do.
 *
 * @internal
 */
final readonly class Variant
{
    /**
     * @param string $name unique among those that are compared; the driver's, and behind a comma what
     *     is particular to the row
     */
    public function __construct(public string $name, public DriverFacts $facts, public Workload $workload) {}

    public function given(Workload $workload): self
    {
        return new self($this->name, $this->facts, $workload);
    }

    /** With what else its figures have to be read with. */
    public function label(): string
    {
        return $this->name.($this->workload->workers === 1 ? ', one worker' : '');
    }

    public function driver(): string
    {
        return explode(', ', $this->name)[0];
    }
}
