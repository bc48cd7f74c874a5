<?php

declare(strict_types=1);

namespace Headroom\Sink;

use DateTimeImmutable;
use Headroom\Core\Bytes;
use Headroom\Core\Json;
use Headroom\Core\Record;

/**
 * Encodes a record as one line of JSON. Structured values are embedded unchanged, but with a space for each line break
 * between their tokens. Dates are ISO 8601, and bytes that are not UTF-8 are base64.
 *
 * This class is in the root of the Sink namespace, because several adapters use it and adapters may not import each
 * other.
 *
 * @internal
 */
final readonly class JsonLine
{
    private const FLAGS = JSON_UNESCAPED_UNICODE
        | JSON_UNESCAPED_SLASHES
        | JSON_PRESERVE_ZERO_FRACTION
        | JSON_THROW_ON_ERROR;

    public static function of(string $id, Record $record): string
    {
        $members = [self::member('_id', $id), self::member('_accepted_at', self::time($record->acceptedAt))];

        foreach ($record->values as $column => $value) {
            $column = self::distinct($column);
            $members[] = $value instanceof Json
                ? json_encode($column, self::FLAGS).':'.$value->line()
                : self::member($column, match (true) {
                    $value instanceof DateTimeImmutable => $value->format('Y-m-d\TH:i:s.uP'),
                    $value instanceof Bytes => mb_check_encoding($value->value, 'UTF-8')
                        ? $value->value
                        : base64_encode($value->value),
                    default => $value,
                });
        }

        return '{'.implode(',', $members).'}';
    }

    /**
     * A column may not have the name of a member that this class adds: of two members with one name, readers take
     * either.
     */
    private static function distinct(string $column): string
    {
        return str_starts_with($column, '_') && in_array(ltrim($column, '_'), ['id', 'accepted_at'], true)
            ? "_{$column}"
            : $column;
    }

    /** @param scalar|null $value */
    private static function member(string $name, int|float|string|bool|null $value): string
    {
        return json_encode($name, self::FLAGS).':'.json_encode($value, self::FLAGS);
    }

    private static function time(int $micros): string
    {
        return gmdate('Y-m-d\TH:i:s', intdiv($micros, 1_000_000)).sprintf('.%06dZ', $micros % 1_000_000);
    }
}
