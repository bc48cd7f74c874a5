<?php

declare(strict_types=1);

namespace Headroom\Bench\Queues;

/**
 * A variant that can be run: with its queue, and the configuration of its workers.
 *
 * @internal
 */
final readonly class DriverUnderTest
{
    /** @param array<string, mixed> $work configuration of the worker command, except its output */
    public function __construct(public Variant $variant, public Driver $driver, public array $work) {}

    /** The name of its queue on the server. */
    public function queue(): string
    {
        return is_string($this->work['queue'] ?? null) ? $this->work['queue'] : '';
    }

    public function withWorkload(Workload $workload): self
    {
        return new self($this->variant->withWorkload($workload), $this->driver, $this->work);
    }
}
