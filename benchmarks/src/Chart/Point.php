<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Chart;

final readonly class Point
{
    /**
     * @param ?float $y null where there is no value, which leaves a gap in the line
     * @param bool $isFlawed drawn as a cross
     */
    public function __construct(public float $x, public ?float $y, public string $words, public bool $isFlawed = false) {}
}
