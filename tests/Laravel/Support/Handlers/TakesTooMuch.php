<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel\Support\Handlers;

use Headroom\Core\Batch;

final readonly class TakesTooMuch
{
    public function handle(Batch $events, string $why): void {}
}
