<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault\Support;

use Closure;
use Headroom\Core\FaultPoint;

/**
 * Looks at the world from inside this process when a point is reached.
 */
final readonly class CallingCheckpoint implements FaultPoint
{
    /** @param Closure(string): void $call */
    public function __construct(private Closure $call) {}

    public function reached(string $name): void
    {
        ($this->call)($name);
    }
}
