<?php

declare(strict_types=1);

namespace Headroom\Spool\Delivery\Exceptions;

use Headroom\Sink\Delivery;
use Headroom\Sink\Sink;

/**
 * Represents the sink of a bucket without a sink, for code that checks the type of a sink. It accepts no events.
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
