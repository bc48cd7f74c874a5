<?php

declare(strict_types=1);

namespace Headroom\Sink\Database;

use DateTimeImmutable;
use Headroom\Core\Date;

/**
 * Which of two values the database will take for the greater one, as far as that can be known without asking it.
 *
 * @internal
 */
final readonly class KeyComparison
{
    /** A date, alone or with a time; texts of one length are in the order of the times. */
    private const DATE = '/\A\d{4}-\d\d-\d\d(?:[ T]\d\d:\d\d:\d\d(?:\.\d+)?)?\z/';

    private const SECONDS = 19;

    public function __construct(private DateColumns $dates) {}

    /** @return ?int below, at or above zero; null where it depends on the column */
    public function of(string $column, mixed $a, mixed $b): ?int
    {
        if ((is_int($a) || is_float($a)) && (is_int($b) || is_float($b))) {
            // PHP would compare an integer with a float as floats, which takes large ones for equal.
            return is_int($a) === is_int($b) ? $a <=> $b : null;
        }

        [$a, $b] = [$this->text($column, $a), $this->text($column, $b)];

        if ($a === null || $b === null || strlen($a) !== strlen($b)) {
            return null;
        }

        $order = strcmp($a, $b);

        // Of the same second: the column may keep no fractions, and then neither is the greater.
        return $order > 0 && strncmp($a, $b, self::SECONDS) === 0 ? null : $order;
    }

    private function text(string $column, mixed $value): ?string
    {
        return match (true) {
            // As it will be stored: without its zone.
            $value instanceof Date, $value instanceof DateTimeImmutable => $this->dates->text($column, $value),
            is_string($value) && preg_match(self::DATE, $value) === 1 => strtr($value, 'T', ' '),
            default => null,
        };
    }
}
