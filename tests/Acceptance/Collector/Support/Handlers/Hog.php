<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Collector\Support\Handlers;

use Headroom\Collector\Handler;
use Headroom\Collector\Request;
use Headroom\Collector\Responder;
use Headroom\Collector\Response;

/**
 * Takes more memory than it may.
 */
final class Hog implements Handler
{
    public function handle(Request $request, Responder $to): void
    {
        ini_set('memory_limit', '32M');
        $text = str_repeat('x', 64_000_000);
        $to->send(new Response(200, $text));
    }
}
