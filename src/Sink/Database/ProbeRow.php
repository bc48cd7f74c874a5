<?php

declare(strict_types=1);

namespace Headroom\Sink\Database;

use Headroom\Core\Batch;
use Headroom\Core\Record;

/**
 * A row like another one under a key that no row has: what a table has taken once it refuses the second time, for that
 * alone.
 *
 * @internal
 */
final readonly class ProbeRow
{
    /** What is larger does not fit into every column of integers, but where a larger one was. */
    private const LARGEST = 127;

    private const LETTERS = 'abcdef';

    /**
     * @param list<non-empty-list<string>> $uniques columns of each unique index
     * @return ?Batch null when the row has no part in a key
     */
    public static function of(Record $record, array $uniques): ?Batch
    {
        $values = $record->values;

        foreach ($uniques as $columns) {
            $column = self::changeable($values, $columns);

            if ($column !== null) {
                /** @var string|int $value */
                $value = $values[$column];
                $values[$column] = is_int($value) ? random_int(1, max(self::LARGEST, $value)) : self::alike("{$value}");
            }
        }

        return $values === $record->values ? null : Batch::of([new Record($record->position, $record->acceptedAt, $values, $record->ownId)]);
    }

    /**
     * A text sooner than a number, which may refer to another table.
     *
     * @param non-empty-array<string, mixed> $values
     * @param non-empty-list<string> $columns
     */
    private static function changeable(array $values, array $columns): ?string
    {
        $names = array_map(mb_strtolower(...), $columns);
        $own = array_filter($values, static fn (int|string $name): bool => in_array(mb_strtolower("{$name}"), $names, true), ARRAY_FILTER_USE_KEY);

        return array_key_first(array_filter($own, is_string(...))) ?? array_key_first(array_filter($own, is_int(...)));
    }

    /** Of the same length and form: a number, a UUID or an address stays one. */
    private static function alike(string $text): string
    {
        return (string) preg_replace_callback('/[0-9A-Za-z]/', static fn (array $match): string => match (true) {
            ctype_digit($match[0]) => (string) random_int(0, 9),
            ctype_lower($match[0]) => self::LETTERS[random_int(0, 5)],
            default => strtoupper(self::LETTERS[random_int(0, 5)]),
        }, $text);
    }
}
