<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Chart;

/**
 * So that lines can be told apart without their colours.
 */
enum Marker
{
    case Circle;
    case Square;
    case Cross;

    /** A path around the point. */
    public function path(float $x, float $y): string
    {
        return match ($this) {
            self::Circle => sprintf('M%.1f %.1fa3 3 0 1 0 6 0a3 3 0 1 0 -6 0z', $x - 3, $y),
            self::Square => sprintf('M%.1f %.1fh8v8h-8z', $x - 4, $y - 4),
            self::Cross => sprintf('M%.1f %.1fl8 8m0 -8l-8 8', $x - 4, $y - 4),
        };
    }
}
