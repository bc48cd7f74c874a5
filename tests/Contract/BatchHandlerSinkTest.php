<?php

declare(strict_types=1);

namespace Headroom\Tests\Contract;

use Headroom\Tests\Contract\Support\CallContract;
use Headroom\Tests\Contract\Support\Handlers\BatchHandler;

final class BatchHandlerSinkTest extends CallContract
{
    protected static function handler(): string
    {
        return BatchHandler::class;
    }
}
