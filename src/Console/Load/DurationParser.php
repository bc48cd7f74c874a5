<?php

declare(strict_types=1);

namespace Headroom\Console\Load;

use Headroom\Load\InvalidPlan;

/**
 * Parses a duration of the command line: 30s, 1m30s, 500ms, 1h, or a number without a unit.
 *
 * @internal
 */
final readonly class DurationParser
{
    public const ALLOWED = "a time such as '30s', '1m30s', '500ms' or a number of seconds";

    private const UNITS = ['h' => 3_600.0, 'm' => 60.0, 's' => 1.0, 'ms' => 0.001];

    private const NUMBER = '\d{1,12}(?:\.\d{1,9})?';

    /**
     * @param string $unit of a number without a unit
     *
     * @throws InvalidPlan
     */
    public static function seconds(
        string $option,
        string $text,
        string $unit = 's',
        string $allowed = self::ALLOWED,
    ): float {
        if (preg_match('/\A-?'.self::NUMBER.'\z/', $text) === 1) {
            return (float) $text * (self::UNITS[$unit] ?? 1.0);
        }

        $n = self::NUMBER;

        // Units come in descending order, each at most once.
        if (
            $text === ''
            || preg_match("/\A(?:({$n})h)?(?:({$n})m(?!s))?(?:({$n})s)?(?:({$n})ms)?\z/", $text, $m) !== 1
        ) {
            throw InvalidPlan::option($option, $text, $allowed);
        }

        $seconds = 0.0;

        foreach (array_values(self::UNITS) as $i => $length) {
            $seconds += (float) ($m[$i + 1] ?? 0) * $length;
        }

        return $seconds;
    }
}
