<?php

declare(strict_types=1);

namespace Headroom\Laravel\Bench;

use Headroom\Sink\Delivery;
use Headroom\Sink\Sink;
use Headroom\Sink\SinkFactory;
use Headroom\Support\ConfigReader;

/**
 * The application's sinks, and a sink that discards all events.
 *
 * @internal
 */
final readonly class BenchSinkFactory implements Sink, SinkFactory
{
    public function __construct(private SinkFactory $real) {}

    public function make(string $kind, ConfigReader $options): Sink
    {
        return $kind === 'none' ? $this : $this->real->make($kind, $options);
    }

    public function deliver(Delivery $delivery): void
    {
        // Iterate over the records, because decoding them is a part of every delivery.
        foreach ($delivery->batch as $record) {
            unset($record);
        }
    }
}
