<?php

declare(strict_types=1);

namespace Headroom\Tests\Contract\Support\Handlers;

use Throwable;

/**
 * What a handler meets: nothing, or what is to be thrown.
 */
final class Obstacle
{
    public ?Throwable $failure = null;

    public function pass(): void
    {
        if ($this->failure !== null) {
            throw $this->failure;
        }
    }
}
