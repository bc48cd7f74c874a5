<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Directives;

/**
 * Sizes and times as nginx writes them. Null where nginx would not take it, as with a variable.
 *
 * @link https://nginx.org/en/docs/syntax.html
 *
 * @internal
 */
final readonly class Units
{
    private const SIZES = ['' => 1, 'k' => 1 << 10, 'm' => 1 << 20, 'g' => 1 << 30];

    /** In milliseconds. A month has 30 days, a year 365; a blank ends a number of seconds. */
    private const TIMES = [
        'y' => 31_536_000_000, 'M' => 2_592_000_000, 'w' => 604_800_000, 'd' => 86_400_000, 'h' => 3_600_000,
        'm' => 60_000,
        's' => 1000, 'ms' => 1, ' ' => 1000,
    ];

    /** The one order in which nginx allows them. */
    private const RANKS = ['y' => 1, 'M' => 2, 'w' => 3, 'd' => 4, 'h' => 5, 'm' => 6, 's' => 7, 'ms' => 8, ' ' => 9];

    private const MAX_DIGITS = 15;

    public static function bytes(string $text): ?int
    {
        return preg_match('/\A(\d{1,18})([kmg]?)\z/i', $text, $m) === 1
            ? self::whole((int) $m[1] * self::SIZES[strtolower($m[2])])
            : null;
    }

    /**
     * A number without a unit means seconds. nginx takes y and M for some directives and ms for the others;
     * here all are.
     */
    public static function milliseconds(string $text): ?int
    {
        $total = 0;
        $rank = 0;

        for ($at = 0, $length = strlen($text); $at < $length; $at += strspn($text, ' ', $at)) {
            $digits = strspn($text, '0123456789', $at);
            $value = (int) substr($text, $at, $digits);
            $at += $digits;
            $unit = substr($text, $at, 2) === 'ms' ? 'ms' : $text[$at] ?? '';
            $next = self::RANKS[$unit] ?? null;

            if (
                $digits > self::MAX_DIGITS
                || ($unit !== '' && ($next === null || $next <= $rank || ($unit === ' ' && $rank >= self::RANKS['s'])))
            ) {
                return null;
            }

            $total += $value * (self::TIMES[$unit] ?? 1000);
            $rank = $next ?? $rank;
            $at += strlen($unit);
        }

        return strpbrk($text, '0123456789') === false ? null : self::whole($total);
    }

    public static function number(string $text): ?int
    {
        return preg_match('/\A\d{1,18}\z/', $text) === 1 ? (int) $text : null;
    }

    /** Beyond 64 bits PHP goes on in floats. */
    private static function whole(int|float $value): ?int
    {
        return is_int($value) ? $value : null;
    }
}
