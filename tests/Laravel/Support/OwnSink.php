<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel\Support;

use Closure;
use Headroom\Sink\Delivery;
use Headroom\Sink\Sink;

/**
 * A sink of an application's own, which does what the test says.
 */
final readonly class OwnSink implements Sink
{
    /** @param Closure(Delivery): void $do */
    public function __construct(private Closure $do) {}

    public function deliver(Delivery $delivery): void
    {
        ($this->do)($delivery);
    }
}
