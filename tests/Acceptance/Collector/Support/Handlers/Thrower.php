<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Collector\Support\Handlers;

use Headroom\Collector\Handler;
use Headroom\Collector\Request;
use Headroom\Collector\Responder;
use LogicException;

/**
 * Fails.
 */
final class Thrower implements Handler
{
    public function handle(Request $request, Responder $to): void
    {
        throw new LogicException('as it must');
    }
}
