<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel\Support\Handlers;

use Headroom\Core\Batch;

final readonly class HidesIt
{
    public function run(Batch $events): void
    {
        $this->handle($events);
    }

    private function handle(Batch $events): void {}
}
