<?php

declare(strict_types=1);

namespace Headroom\Report\Page;

use Headroom\Report\Format;

/**
 * The unit of a chart's values and their text. resources/js/page/units.js writes values in charts in the same way, and
 * axes shorter.
 *
 * @internal
 */
enum Unit: string
{
    /** 1234.0 is "1,234/s". */
    case PerSecond = 'per_second';
    /** Milliseconds: 12.34 is "12.3 ms", 1234.0 is "1.23 s". */
    case Millis = 'millis';
    /** Microseconds: 12.34 is "12.3 µs", 1234.0 is "1.23 ms". */
    case Micros = 'micros';
    /** Seconds: 0.5 is "0.500 s". */
    case Seconds = 'seconds';
    /** Part of a whole: 0.123 is "12.3 %". */
    case Share = 'share';
    /** 12.34 is "12.3 %". */
    case Percent = 'percent';
    /** Percent of difference, with its sign: 3.2 is "+3.2 %". */
    case Change = 'change';
    /** 1234.0 is "1.23 kB". */
    case Bytes = 'bytes';
    /** The title names the unit: 1234.0 is "1,234". */
    case Count = 'count';
    /** A ratio: 1.234 is "1.23x". */
    case Times = 'times';

    private const NONE = '–';

    /** @param int|float|null $value in the base of the unit; null is a dash */
    public function words(int|float|null $value): string
    {
        if ($value === null) {
            return self::NONE;
        }

        $sign = $value < 0 ? '-' : ($this === self::Change && $value > 0 ? '+' : '');

        return $sign.$this->unsigned(abs((float) $value));
    }

    /** A place on an axis, with the digits that tell 100.5 s from 101 s. */
    public function place(int|float $value): string
    {
        $digits = number_format($value, 3);

        return match ($this) {
            self::Seconds => rtrim(rtrim($digits, '0'), '.').' s',
            self::Count => rtrim(rtrim($digits, '0'), '.'),
            default => $this->words($value),
        };
    }

    private function unsigned(float $value): string
    {
        return match ($this) {
            self::PerSecond => Format::rate($value),
            self::Seconds => Format::seconds($value),
            self::Millis => self::time($value * 1_000),
            self::Micros => self::time($value),
            self::Share => self::percent($value * 100),
            self::Percent, self::Change => self::percent($value),
            self::Bytes => Format::bytes((int) round($value)),
            self::Count => $value === floor($value) ? number_format($value) : Format::significant($value),
            self::Times => Format::significant($value).'x',
        };
    }

    private static function time(float $micros): string
    {
        return match (true) {
            $micros === 0.0 => '0 ms',
            $micros < 999.5 => Format::significant($micros).' µs',
            $micros < 999_500 => Format::significant($micros / 1_000).' ms',
            default => Format::seconds($micros / 1_000_000),
        };
    }

    private static function percent(float $percent): string
    {
        return match (true) {
            $percent === 0.0 => '0 %',
            $percent < 0.1 => Format::significant($percent).' %',
            default => number_format($percent, $percent < 99.95 ? 1 : 0).' %',
        };
    }
}
