<?php

declare(strict_types=1);

namespace Headroom\Tests\Contract\Support;

use Closure;
use Headroom\Core\FaultPoint;

/**
 * Does something at chosen moments of the protocol.
 */
final class AtEach implements FaultPoint
{
    /** @var array<string, int> */
    private array $times = [];

    /** @param array<string, Closure> $actions by name and time, such as "rows.inserted#2" */
    public function __construct(private readonly array $actions) {}

    public function reached(string $name): void
    {
        $time = $this->times[$name] = ($this->times[$name] ?? 0) + 1;

        if (isset($this->actions["{$name}#{$time}"])) {
            ($this->actions["{$name}#{$time}"])();
        }
    }
}
