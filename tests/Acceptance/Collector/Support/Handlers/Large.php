<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Collector\Support\Handlers;

use Headroom\Collector\Handler;
use Headroom\Collector\Request;
use Headroom\Collector\Responder;
use Headroom\Collector\Response;

/**
 * Answers with more than a socket takes at once.
 */
final class Large implements Handler
{
    public function handle(Request $request, Responder $to): void
    {
        $to->send(new Response(200, str_repeat('x', 8_000_000)));
    }
}
