<?php

declare(strict_types=1);

namespace Headroom\Sink\Database;

use Headroom\Core\Batch;
use Headroom\Core\Record;

/**
 * A copy of a row with new values in its unique keys. A table that has stored the row would reject an exact copy as a
 * duplicate.
 *
 * @internal
 */
final readonly class ProbeRow
{
    /**
     * The largest number that fits into every integer column. A row with a larger number shows that its column takes
     * more.
     */
    private const LARGEST = 127;

    private const LETTERS = 'abcdef';

    /**
     * @param list<non-empty-list<string>> $uniques the columns of each unique index
     * @return ?Batch null if the row has no column of a unique index
     */
    public static function of(Record $record, array $uniques): ?Batch
    {
        $values = $record->values;

        foreach ($uniques as $columns) {
            $column = self::changeable($values, $columns);

            if ($column !== null) {
                /** @var string|int $value */
                $value = $values[$column];
                $values[$column] = is_int($value)
                    ? random_int(1, max(self::LARGEST, $value))
                    : self::similar("{$value}");
            }
        }

        return $values === $record->values
            ? null
            : Batch::of([new Record($record->position, $record->acceptedAt, $values, $record->ownId)]);
    }

    /**
     * Prefers a text, because a number may be a foreign key.
     *
     * @param non-empty-array<string, mixed> $values
     * @param non-empty-list<string> $columns
     */
    private static function changeable(array $values, array $columns): ?string
    {
        $names = array_map(mb_strtolower(...), $columns);
        $own = array_filter(
            $values,
            static fn (int|string $name): bool => in_array(mb_strtolower("{$name}"), $names, true),
            ARRAY_FILTER_USE_KEY,
        );

        return array_key_first(array_filter($own, is_string(...))) ?? array_key_first(array_filter($own, is_int(...)));
    }

    /** Keeps the length and the form, so that a number, a UUID or an address stays one. */
    private static function similar(string $text): string
    {
        return (string) preg_replace_callback('/[0-9A-Za-z]/', static fn (array $match): string => match (true) {
            ctype_digit($match[0]) => (string) random_int(0, 9),
            ctype_lower($match[0]) => self::LETTERS[random_int(0, 5)],
            default => strtoupper(self::LETTERS[random_int(0, 5)]),
        }, $text);
    }
}
