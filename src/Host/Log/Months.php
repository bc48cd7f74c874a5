<?php

declare(strict_types=1);

namespace Headroom\Host\Log;

/**
 * Names of months in logs. They are those of the C locale, whichever locale is set.
 *
 * @internal
 */
final readonly class Months
{
    private const NUMBERS = [
        'Jan' => '01', 'Feb' => '02', 'Mar' => '03', 'Apr' => '04', 'May' => '05', 'Jun' => '06',
        'Jul' => '07', 'Aug' => '08', 'Sep' => '09', 'Oct' => '10', 'Nov' => '11', 'Dec' => '12',
    ];

    public static function number(string $name): ?int
    {
        return isset(self::NUMBERS[$name]) ? (int) self::NUMBERS[$name] : null;
    }

    /** @return ?string "2020-11-27" of "27-Nov-2020" */
    public static function day(string $text): ?string
    {
        $month = self::NUMBERS[substr($text, 3, 3)] ?? null;

        return $month === null || strlen($text) !== 11 ? null : substr($text, 7, 4)."-{$month}-".substr($text, 0, 2);
    }
}
