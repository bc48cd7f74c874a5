<?php

declare(strict_types=1);

namespace Headroom\Spool\Delivery;

use Headroom\Sink\Delivery;
use Headroom\Sink\Sink;

/**
 * Stands in for the sink of a bucket that has none, so that code that checks the type of a sink needs no null. It
 * accepts no events.
 *
 * @internal
 */
final readonly class MissingSink implements Sink
{
    public function __construct(private string $bucket) {}

    public function deliver(Delivery $delivery): void
    {
        throw CallbackRefused::noSink($this->bucket);
    }
}
