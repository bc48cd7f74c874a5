<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Chart;

/**
 * A row of a RangeChart.
 */
final readonly class Range
{
    /**
     * @param ?array{float, float, float} $values lower quartile, median, upper quartile; null where the words stand instead
     * @param bool $isHollow drawn so that nobody takes it for a result
     */
    public function __construct(public string $label, public ?array $values, public string $words, public bool $isHollow = false) {}
}
