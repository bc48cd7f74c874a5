<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Collector\Support\Handlers;

use Headroom\Collector\Handler;
use Headroom\Collector\Request;
use Headroom\Collector\Responder;
use Headroom\Collector\Response;

/**
 * Blocks the loop, for as many seconds as the path says, and tells the log before.
 */
final class Blocker implements Handler
{
    public function handle(Request $request, Responder $to): void
    {
        $seconds = (int) basename($request->path);
        fwrite(STDERR, "blocks\n");
        sleep($seconds === 0 ? 100 : $seconds);
        $to->send(new Response(200, 'at last'));
    }
}
