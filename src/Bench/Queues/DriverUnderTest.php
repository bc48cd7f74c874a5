<?php

declare(strict_types=1);

namespace Headroom\Bench\Queues;

/**
 * A variant that can be run: with its queue, and what its workers have to know.
 *
 * @internal
 */
final readonly class DriverUnderTest
{
    /** @param array<string, mixed> $work what the worker command is told besides where to write */
    public function __construct(public Variant $variant, public Driver $driver, public array $work) {}

    /** The name of its queue on the server. */
    public function queue(): string
    {
        return is_string($this->work['queue'] ?? null) ? $this->work['queue'] : '';
    }

    public function given(Workload $workload): self
    {
        return new self($this->variant->given($workload), $this->driver, $this->work);
    }
}
