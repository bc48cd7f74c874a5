<?php

declare(strict_types=1);

namespace Headroom\Laravel\Bench;

use Headroom\Sink\Delivery;
use Headroom\Sink\Sink;
use Headroom\Sink\SinkFactory;
use Headroom\Support\ConfigReader;

/**
 * The application's sinks, and one that takes everything and keeps nothing.
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
        // As a sink has to: decoding is a part of it.
        foreach ($delivery->batch as $record) {
            unset($record);
        }
    }
}
