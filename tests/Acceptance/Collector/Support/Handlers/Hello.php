<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Collector\Support\Handlers;

use Headroom\Collector\Handler;
use Headroom\Collector\Request;
use Headroom\Collector\Responder;
use Headroom\Collector\Response;

/**
 * Answers at once.
 */
final class Hello implements Handler
{
    public function handle(Request $request, Responder $to): void
    {
        $to->send(new Response(200, "hello {$request->path}"));
    }
}
