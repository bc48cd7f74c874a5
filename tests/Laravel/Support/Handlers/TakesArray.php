<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel\Support\Handlers;

final readonly class TakesArray
{
    /** @param array<string, mixed> $event */
    public function handle(array $event): void {}
}
