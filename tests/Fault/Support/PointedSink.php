<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault\Support;

use Headroom\Core\Checkpoint;
use Headroom\Sink\Delivery;
use Headroom\Sink\Sink;

/**
 * A sink whose deliveries can be interrupted before they leave and after they have arrived.
 */
final readonly class PointedSink implements Sink
{
    public function __construct(private Sink $sink, private Checkpoint $checkpoint) {}

    public function deliver(Delivery $delivery): void
    {
        $this->checkpoint->reached('sink.called');
        $this->sink->deliver($delivery);
        $this->checkpoint->reached('sink.returned');
    }
}
