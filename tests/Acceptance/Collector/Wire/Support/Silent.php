<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Collector\Wire\Support;

use Headroom\Collector\Handler;
use Headroom\Collector\Request;
use Headroom\Collector\Responder;

/** Never answers. */
final readonly class Silent implements Handler
{
    public function handle(Request $request, Responder $to): void {}
}
