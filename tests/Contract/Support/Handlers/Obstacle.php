<?php

declare(strict_types=1);

namespace Headroom\Tests\Contract\Support\Handlers;

use Throwable;

/**
 * A fault for a handler: none, or an exception to throw.
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
