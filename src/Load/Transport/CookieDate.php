<?php

declare(strict_types=1);

namespace Headroom\Load\Transport;

/**
 * The expiry date of a cookie, in any of the formats that servers send. It is always in UTC; the day of the week is
 * ignored.
 *
 * @see https://www.rfc-editor.org/rfc/rfc6265#section-5.1.1
 *
 * @internal
 */
final readonly class CookieDate
{
    private const WORDS = '/[^\x09\x20-\x2f\x3b-\x40\x5b-\x60\x7b-\x7e]+/';

    private const TIME = '/\A(\d{1,2}):(\d{1,2}):(\d{1,2})(?:\D.*)?\z/s';

    private const DAY = '/\A(\d{1,2})(?:\D.*)?\z/s';

    private const MONTH = '/\A(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)/i';

    private const YEAR = '/\A(\d{2,4})(?:\D.*)?\z/s';

    private const MONTHS = 'janfebmaraprmayjunjulaugsepoctnovdec';

    /** @return ?int Unix time in seconds; null when it is no date */
    public static function parse(string $text): ?int
    {
        preg_match_all(self::WORDS, $text, $words);
        $found = ['time' => [], 'day' => [], 'month' => [], 'year' => []];

        foreach ($words[0] as $word) {
            foreach ([
                'time' => self::TIME,
                'day' => self::DAY,
                'month' => self::MONTH,
                'year' => self::YEAR,
            ] as $part => $pattern) {
                if ($found[$part] === [] && preg_match($pattern, $word, $match) === 1) {
                    $found[$part] = $match;

                    break;
                }
            }
        }

        return in_array([], $found, true) ? null : self::time(
            self::year((int) $found['year'][1]),
            1 + intdiv((int) strpos(self::MONTHS, strtolower($found['month'][1])), 3),
            (int) $found['day'][1],
            array_map(intval(...), array_slice($found['time'], 1)),
        );
    }

    /** @param list<int> $time hour, minute and second */
    private static function time(int $year, int $month, int $day, array $time): ?int
    {
        [$hour, $minute, $second] = $time;

        if ($year < 1601 || ! checkdate($month, $day, $year) || $hour > 23 || $minute > 59 || $second > 59) {
            return null;
        }

        $seconds = gmmktime($hour, $minute, $second, $month, $day, $year);

        return $seconds === false ? null : $seconds;
    }

    private static function year(int $year): int
    {
        return match (true) {
            $year < 70 => $year + 2_000,
            $year < 100 => $year + 1_900,
            default => $year,
        };
    }
}
