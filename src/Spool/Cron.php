<?php

declare(strict_types=1);

namespace Headroom\Spool;

use DateTimeImmutable;
use DateTimeZone;

/**
 * When a bucket with a schedule of its own is flushed, in the time zone of the application.
 *
 * Laravel's scheduler reads the same expressions with dragonmantank/cron-expression. The buffer imports no library, so
 * that it works without Laravel. CronTest compares the two.
 */
final readonly class Cron
{
    /**
     * Laravel's frequency methods that need no arguments.
     *
     * @internal
     */
    public const NAMES = [
        'everyMinute' => '* * * * *',
        'everyTwoMinutes' => '*/2 * * * *',
        'everyThreeMinutes' => '*/3 * * * *',
        'everyFourMinutes' => '*/4 * * * *',
        'everyFiveMinutes' => '*/5 * * * *',
        'everyTenMinutes' => '*/10 * * * *',
        'everyFifteenMinutes' => '*/15 * * * *',
        'everyThirtyMinutes' => '*/30 * * * *',
        'hourly' => '0 * * * *',
        'everyTwoHours' => '0 */2 * * *',
        'everyThreeHours' => '0 */3 * * *',
        'everyFourHours' => '0 */4 * * *',
        'everySixHours' => '0 */6 * * *',
        'daily' => '0 0 * * *',
        'twiceDaily' => '0 1,13 * * *',
        'weekly' => '0 0 * * 0',
        'monthly' => '0 0 1 * *',
    ];

    private const RANGES = [[0, 59], [0, 23], [1, 31], [1, 12], [0, 7]];

    private const WORDS = [
        3 => [
            'JAN' => 1,
            'FEB' => 2,
            'MAR' => 3,
            'APR' => 4,
            'MAY' => 5,
            'JUN' => 6,
            'JUL' => 7,
            'AUG' => 8,
            'SEP' => 9,
            'OCT' => 10,
            'NOV' => 11,
            'DEC' => 12,
        ],
        4 => ['SUN' => 0, 'MON' => 1, 'TUE' => 2, 'WED' => 3, 'THU' => 4, 'FRI' => 5, 'SAT' => 6],
    ];

    private const LONGEST_MONTHS = [1 => 31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

    /** Two 29ths of February are at most eight years apart. */
    private const FURTHEST_DAYS = 2923;

    /**
     * @param string $expression of five fields
     * @param list<array<int, true>> $fields minutes, hours, days, months, weekdays
     * @param bool $isEitherDay as in cron: when both days and weekdays are limited, one match is enough
     */
    private function __construct(public string $expression, private array $fields, private bool $isEitherDay) {}

    /**
     * @internal
     *
     * @return ?self null when it is not an expression, or when no day matches it
     */
    public static function tryFrom(string $text): ?self
    {
        $expression = self::NAMES[$text] ?? $text;
        $parts = preg_split('/ +/', trim($expression));
        $fields = [];

        if ($parts === false || count($parts) !== count(self::RANGES)) {
            return null;
        }

        foreach ($parts as $number => $part) {
            $field = self::field($part, $number);

            if ($field === null) {
                return null;
            }

            $fields[] = $field;
        }

        $cron = new self(implode(' ', $parts), $fields, $parts[2] !== '*' && $parts[4] !== '*');

        return $cron->isEitherDay || $cron->hasDay() ? $cron : null;
    }

    /**
     * Returns the last minute that matches, up to and including this one, as seconds since the Unix epoch.
     *
     * @internal
     */
    public function lastAt(int $seconds, ?DateTimeZone $zone = null): int
    {
        $zone ??= new DateTimeZone(date_default_timezone_get());
        $minute = (new DateTimeImmutable('@'.(60 * intdiv($seconds, 60))))->setTimezone($zone);

        for ($days = 0; $days <= self::FURTHEST_DAYS; $days++) {
            $midnight = $minute->setTime(0, 0);

            // Steps in absolute time: an hour that the clocks skip has no minutes, and an hour that they repeat has
            // each minute twice.
            for (; $this->isDay($minute) && $minute >= $midnight; $minute = self::minuteBefore($minute)) {
                if (isset($this->fields[0][(int) $minute->format('i')], $this->fields[1][(int) $minute->format('G')])) {
                    return $minute->getTimestamp();
                }
            }

            $minute = self::minuteBefore($midnight);
        }

        return 0;
    }

    /** modify('-1 minute') would loop where the clocks were put forward: it turns 3:00 into 3:59. */
    private static function minuteBefore(DateTimeImmutable $minute): DateTimeImmutable
    {
        return $minute->setTimestamp($minute->getTimestamp() - 60);
    }

    /** @return ?array<int, true> the numbers that match; null when the field is not valid */
    private static function field(string $text, int $number): ?array
    {
        [$min, $max] = self::RANGES[$number];
        $fits = [];

        foreach (explode(',', strtoupper($text)) as $part) {
            if (
                preg_match('~\A(?:\*|(\w{1,3})(?:-(\w{1,3}))?)(?:/(\d{1,2}))?\z~', $part, $m, PREG_UNMATCHED_AS_NULL)
                !== 1
            ) {
                return null;
            }

            // Laravel's scheduler does not accept a step after a single number.
            if (isset($m[3], $m[1]) && ! isset($m[2])) {
                return null;
            }

            $step = isset($m[3]) ? (int) $m[3] : 1;
            $from = isset($m[1]) ? self::number($m[1], $number) : $min;
            $to = isset($m[2]) ? self::number($m[2], $number) : (isset($m[1]) ? $from : $max);

            if ($from === null || $to === null || $step < 1 || $from < $min || $to > $max || $from > $to) {
                return null;
            }

            for ($fit = $from; $fit <= $to; $fit += $step) {
                // Both 0 and 7 mean Sunday.
                $fits[$number === 4 ? $fit % 7 : $fit] = true;
            }
        }

        return $fits;
    }

    private static function number(string $text, int $field): ?int
    {
        return self::WORDS[$field][$text] ?? (ctype_digit($text) ? (int) $text : null);
    }

    /** Whether one of the months is long enough for one of the days. */
    private function hasDay(): bool
    {
        $days = array_keys($this->fields[2]);

        foreach (array_keys($this->fields[3]) as $month) {
            if ($days !== [] && min($days) <= self::LONGEST_MONTHS[$month]) {
                return true;
            }
        }

        return false;
    }

    private function isDay(DateTimeImmutable $day): bool
    {
        $isOfMonth = isset($this->fields[2][(int) $day->format('j')]);
        $isOfWeek = isset($this->fields[4][(int) $day->format('w')]);

        return isset($this->fields[3][(int) $day->format('n')])
            && ($this->isEitherDay ? $isOfMonth || $isOfWeek : $isOfMonth && $isOfWeek);
    }
}
