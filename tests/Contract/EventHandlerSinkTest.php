<?php

declare(strict_types=1);

namespace Headroom\Tests\Contract;

use Headroom\Tests\Contract\Support\CallContract;
use Headroom\Tests\Contract\Support\Handlers\EachHandler;

final class EventHandlerSinkTest extends CallContract
{
    protected static function handler(): string
    {
        return EachHandler::class;
    }
}
