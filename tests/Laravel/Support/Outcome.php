<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel\Support;

/**
 * How a command ended and what it said.
 */
final readonly class Outcome
{
    public function __construct(public int $exit, public string $out, public string $err) {}

    /** @return list<int> in the order in which they were printed */
    public function numbers(): array
    {
        preg_match_all('/(?<![\w.:-])\d+(?![\w-])/', $this->out, $found);

        return array_map(intval(...), $found[0]);
    }

    public function all(): string
    {
        return $this->out.$this->err;
    }
}
