<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Collector\Support\Handlers;

use Headroom\Collector\Handler;
use Headroom\Collector\Request;
use Headroom\Collector\Responder;

/**
 * Ends its process in the middle of a request, as if all were well.
 */
final class Quitter implements Handler
{
    public function handle(Request $request, Responder $to): void
    {
        exit(0);
    }
}
