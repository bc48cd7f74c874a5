<?php

declare(strict_types=1);

namespace Headroom\Report;

/**
 * Numbers as people read them: as many digits as mean something, thousands apart.
 *
 * @internal
 */
final readonly class Format
{
    private const BYTE_UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];

    public static function count(int $count): string
    {
        return number_format($count);
    }

    public static function rate(float $perSecond): string
    {
        return self::significant($perSecond).'/s';
    }

    /** Without the unit: a table says it once. */
    public static function millis(float|int|null $micros): string
    {
        return $micros === null ? '-' : self::significant($micros / 1_000);
    }

    public static function seconds(float $seconds): string
    {
        return self::significant($seconds).' s';
    }

    public static function share(float $share): string
    {
        return match (true) {
            $share === 0.0 => '0 %',
            $share > 0.0 && $share < 0.001 => '< 0.1 %',
            $share < 1.0 && $share > 0.999 => '> 99.9 %',
            default => number_format(100 * $share, $share < 0.9995 ? 1 : 0).' %',
        };
    }

    public static function bytes(int $bytes): string
    {
        $value = (float) $bytes;
        $unit = 0;

        while ($value >= 999.5 && $unit < count(self::BYTE_UNITS) - 1) {
            $value /= 1_000;
            $unit++;
        }

        return ($unit === 0 ? (string) $bytes : self::significant($value)).' '.self::BYTE_UNITS[$unit];
    }

    /** Three digits, and never fewer than those before the point; of what is not negative. */
    public static function significant(float $value): string
    {
        // 0.000 would be read as nothing.
        if ($value > 0.0 && $value < 0.0005) {
            return '< 0.001';
        }

        $decimals = match (true) {
            $value >= 99.95 || $value === 0.0 => 0,
            $value >= 9.995 => 1,
            $value >= 0.9995 => 2,
            default => 3,
        };

        return number_format($value, $decimals);
    }
}
