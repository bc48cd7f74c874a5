<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Collector\Report;

use Headroom\Report\Format;

enum Unit
{
    case Count;
    case PerSecond;
    case Millis;
    case Share;
    case Times;

    public function words(float $value): string
    {
        return match ($this) {
            self::Count => Format::count((int) $value),
            self::PerSecond => Format::rate($value),
            self::Millis => $value < 1000 ? Format::millis(1000 * $value).' ms' : Format::seconds($value / 1000),
            self::Share => Format::share($value),
            self::Times => number_format($value, 2).' ×',
        };
    }
}
