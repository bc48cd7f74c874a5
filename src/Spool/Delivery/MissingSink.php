<?php

declare(strict_types=1);

namespace Headroom\Spool\Delivery;

use Headroom\Sink\Delivery;
use Headroom\Sink\Sink;

/**
 * Stands where a bucket has no sink: for those who ask what kind it is. It takes nothing.
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
