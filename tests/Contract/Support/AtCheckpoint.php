<?php

declare(strict_types=1);

namespace Headroom\Tests\Contract\Support;

use Closure;
use Headroom\Core\FaultPoint;

/**
 * Does something once, when a moment of the protocol is reached for the first time.
 */
final class AtCheckpoint implements FaultPoint
{
    public bool $wasReached = false;

    public function __construct(private readonly string $name, private readonly Closure $action) {}

    public function reached(string $name): void
    {
        if ($name === $this->name && ! $this->wasReached) {
            $this->wasReached = true;
            ($this->action)();
        }
    }
}
