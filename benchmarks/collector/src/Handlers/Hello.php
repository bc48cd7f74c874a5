<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Collector\Handlers;

use Headroom\Collector\Handler;
use Headroom\Collector\Request;
use Headroom\Collector\Responder;
use Headroom\Collector\Response;

/** Scenario 1 of stack X. */
final readonly class Hello implements Handler
{
    public function handle(Request $request, Responder $to): void
    {
        $to->send(new Response(200, 'Hello World!', ['Content-Type' => 'text/plain']));
    }
}
