<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Collector\Support\Handlers;

use Headroom\Collector\Handler;
use Headroom\Collector\Request;
use Headroom\Collector\Responder;

/**
 * Ends its process as soon as it is made.
 */
final class Ender implements Handler
{
    public function __construct()
    {
        exit(3);
    }

    public function handle(Request $request, Responder $to): void {}
}
