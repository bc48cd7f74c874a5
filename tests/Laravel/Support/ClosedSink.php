<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel\Support;

use Headroom\Sink\BatchRejected;
use Headroom\Sink\Delivery;
use Headroom\Sink\Sink;
use RuntimeException;

final readonly class ClosedSink implements Sink
{
    public function deliver(Delivery $delivery): void
    {
        throw new class('Nobody comes in.') extends RuntimeException implements BatchRejected {};
    }
}
