<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Spool\Worker;

use Headroom\Sink\Delivery;
use Headroom\Sink\Sink;
use RuntimeException;

final class FailingSink implements Sink
{
    public function deliver(Delivery $delivery): void
    {
        throw new RuntimeException('for the test');
    }
}
