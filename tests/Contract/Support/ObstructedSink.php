<?php

declare(strict_types=1);

namespace Headroom\Tests\Contract\Support;

use Closure;
use Headroom\Sink\Delivery;
use Headroom\Sink\Sink;
use Headroom\Tests\Fault\Support\Later;

/**
 * Stands in the way of a sink that nothing else can stand in the way of.
 */
final readonly class ObstructedSink implements Sink
{
    /** @param Closure(): bool $isObstructed */
    public function __construct(private Sink $sink, private Closure $isObstructed) {}

    public function deliver(Delivery $delivery): void
    {
        if (($this->isObstructed)()) {
            throw Later::in(1);
        }

        $this->sink->deliver($delivery);
    }
}
