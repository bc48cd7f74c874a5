<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel\Support;

/**
 * How a command ended and what it said.
 */
final readonly class Outcome
{
    public function __construct(public int $exit, public string $out, public string $err) {}

    public function all(): string
    {
        return $this->out.$this->err;
    }
}
