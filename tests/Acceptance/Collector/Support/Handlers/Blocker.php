<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Collector\Support\Handlers;

use Headroom\Collector\Handler;
use Headroom\Collector\Request;
use Headroom\Collector\Responder;

/**
 * Blocks the loop.
 */
final class Blocker implements Handler
{
    public function handle(Request $request, Responder $to): void
    {
        sleep(100);
    }
}
