<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault\Support;

use Headroom\Sink\Delivery;
use Headroom\Sink\Sink;
use RuntimeException;

/**
 * Fails with what no sink should throw.
 */
final readonly class BrokenSink implements Sink
{
    public function deliver(Delivery $delivery): void
    {
        throw new RuntimeException("broken on purpose, {$delivery->id()}");
    }
}
