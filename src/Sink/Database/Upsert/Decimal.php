<?php

declare(strict_types=1);

namespace Headroom\Sink\Database\Upsert;

/**
 * Adds decimal numbers as digits, so that ten times 0.1 is 1. A fraction keeps the number of digits that it had.
 *
 * @internal
 */
final readonly class Decimal
{
    private const FORM = '/\A([+-]?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d{1,3}))?\z/';

    private const SMALL = '/\A-?\d{1,18}\z/';

    /** Digits in one limb; two limbs and a carry fit into an integer. */
    private const STEP = 9;

    private const BASE = 1_000_000_000;

    /** Limit of digits. The columns of all supported databases are shorter. */
    private const LONGEST = 400;

    /** @return int|string|null null if the value is not a number */
    public static function of(mixed $value): int|string|null
    {
        return match (true) {
            is_int($value) => $value,
            is_bool($value) => (int) $value,
            // json_encode() gives the shortest text that parses to the same float.
            is_float($value) => self::parse((string) json_encode($value)),
            is_string($value) => self::parse($value),
            default => null,
        };
    }

    /**
     * @param string $a a number as of() returns it
     * @return int|string an integer if it fits into one
     */
    public static function sum(string $a, string $b): int|string
    {
        $scale = max(self::scale($a), self::scale($b));
        [$a, $b] = [self::limbs($a, $scale), self::limbs($b, $scale)];
        $sum = [];

        for ($i = 0, $length = max(count($a), count($b)); $i < $length; $i++) {
            $sum[] = ($a[$i] ?? 0) + ($b[$i] ?? 0);
        }

        return self::text($sum, $scale);
    }

    private static function parse(string $text): int|string|null
    {
        if (preg_match(self::SMALL, $text) === 1) {
            return (int) $text;
        }

        if (strlen($text) > self::LONGEST || preg_match(self::FORM, $text, $m) !== 1) {
            return null;
        }

        [$digits, $point] = [$m[2].($m[3] ?? ''), strlen($m[2]) + (int) ($m[4] ?? 0)];
        // The exponent may move the point beyond either end of the digits.
        $digits = str_repeat('0', max(0, -$point)).str_pad($digits, max(0, $point), '0');
        $point = max(0, $point);
        $whole = ltrim(substr($digits, 0, $point), '0');
        $fraction = substr($digits, $point);
        $sign = $m[1] === '-' && trim($digits, '0') !== '' ? '-' : '';

        return $sign.($whole === '' ? '0' : $whole).($fraction === '' ? '' : ".{$fraction}");
    }

    private static function scale(string $number): int
    {
        $point = strpos($number, '.');

        return $point === false ? 0 : strlen($number) - $point - 1;
    }

    /** @return list<int> limbs from the lowest to the highest, each with the sign of the number */
    private static function limbs(string $number, int $scale): array
    {
        $sign = $number[0] === '-' ? -1 : 1;
        $digits = ltrim(str_replace('.', '', $number), '-').str_repeat('0', $scale - self::scale($number));
        $limbs = [];

        for ($end = strlen($digits); $end > 0; $end -= self::STEP) {
            $start = max(0, $end - self::STEP);
            $limbs[] = $sign * (int) substr($digits, $start, $end - $start);
        }

        return $limbs;
    }

    /** @param list<int> $limbs */
    private static function text(array $limbs, int $scale): int|string
    {
        while ($limbs !== [] && $limbs[array_key_last($limbs)] === 0) {
            array_pop($limbs);
        }

        // The highest limb has the sign of the sum: the lower limbs together are smaller than one of its units.
        $isNegative = $limbs !== [] && $limbs[array_key_last($limbs)] < 0;
        [$digits, $carry] = ['', 0];

        foreach ($limbs as $limb) {
            $limb = ($isNegative ? -$limb : $limb) + $carry;
            $carry = intdiv($limb - (($limb % self::BASE + self::BASE) % self::BASE), self::BASE);
            $digits = str_pad((string) ($limb - $carry * self::BASE), self::STEP, '0', STR_PAD_LEFT).$digits;
        }

        $digits = str_pad(ltrim($carry.$digits, '0'), $scale + 1, '0', STR_PAD_LEFT);
        $text = ($isNegative ? '-' : '').substr($digits, 0, strlen($digits) - $scale)
            .($scale === 0 ? '' : '.'.substr($digits, -$scale));

        return preg_match(self::SMALL, $text) === 1 ? (int) $text : $text;
    }
}
