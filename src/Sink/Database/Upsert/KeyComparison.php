<?php

declare(strict_types=1);

namespace Headroom\Sink\Database\Upsert;

use DateTimeImmutable;
use Headroom\Core\Date;
use Headroom\Sink\Database\Dialect\DateColumns;

/**
 * Predicts, without a query, which of two values the database treats as the greater one.
 *
 * @internal
 */
final readonly class KeyComparison
{
    /** A date, with or without a time. Texts of equal length sort in the order of their times. */
    private const DATE = '/\A\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d:\d\d(?:\.\d+)?)?\z/';

    private const SECONDS = 19;

    public function __construct(private DateColumns $dates) {}

    /** @return ?int below, at or above zero; null if the result depends on the column */
    public function of(string $column, mixed $a, mixed $b): ?int
    {
        if ((is_int($a) || is_float($a)) && (is_int($b) || is_float($b))) {
            // PHP compares an integer with a float as floats, and then treats large ones as equal.
            return is_int($a) === is_int($b) ? $a <=> $b : null;
        }

        [$a, $b] = [$this->text($column, $a), $this->text($column, $b)];

        if ($a === null || $b === null || strlen($a) !== strlen($b)) {
            return null;
        }

        $order = strcmp($a, $b);

        // Both are in the same second. The column may store no fractions, and then neither is greater.
        return $order > 0 && strncmp($a, $b, self::SECONDS) === 0 ? null : $order;
    }

    private function text(string $column, mixed $value): ?string
    {
        return match (true) {
            // As the column stores it: without the time zone.
            $value instanceof Date, $value instanceof DateTimeImmutable => $this->dates->text($column, $value),
            is_string($value) && preg_match(self::DATE, $value) === 1 => strtr($value, 'T', ' '),
            default => null,
        };
    }
}
