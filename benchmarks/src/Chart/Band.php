<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Chart;

/**
 * A piece of the time axis, and what was the case in it.
 */
final readonly class Band
{
    public function __construct(public float $from, public float $to, public string $label) {}
}
