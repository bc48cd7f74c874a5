<?php

declare(strict_types=1);

namespace Headroom\Doctor\UnderLoad;

/**
 * One line of a chart.
 *
 * @internal
 */
final readonly class TimeSeries
{
    /**
     * @param string $what with its unit
     * @param list<array{float, ?float}> $points seconds and value; null if it is unknown
     * @param ?float $whole the maximum; null without one
     */
    public function __construct(public string $what, public array $points, public ?float $whole = null) {}

    /** @return list<array{float, float}> */
    public function known(): array
    {
        return array_values(array_filter($this->points, static fn (array $point): bool => $point[1] !== null));
    }

    /** Seconds. */
    public function end(): float
    {
        return max([0.0, ...array_map(static fn (array $point): float => $point[0], $this->points)]);
    }
}
