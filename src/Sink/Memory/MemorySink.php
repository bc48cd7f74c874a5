<?php

declare(strict_types=1);

namespace Headroom\Sink\Memory;

use Headroom\Sink\Delivery;
use Headroom\Sink\Sink;
use Headroom\Support\ConfigReader;

/**
 * Keeps its deliveries in the memory of this process, for tests.
 *
 * @internal
 */
final readonly class MemorySink implements Sink
{
    public function __construct(private Arrivals $arrivals) {}

    public static function fromOptions(Arrivals $arrivals, ConfigReader $options): self
    {
        $options->only([]);

        return new self($arrivals);
    }

    public function deliver(Delivery $delivery): void
    {
        $this->arrivals->add($delivery);
    }
}
