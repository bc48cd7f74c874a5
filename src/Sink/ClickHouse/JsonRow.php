<?php

declare(strict_types=1);

namespace Headroom\Sink\ClickHouse;

use DateTimeImmutable;
use Headroom\Core\Bytes;
use Headroom\Core\Json;
use Headroom\Core\Record;

/**
 * Encodes an event as a line of JSONEachRow. Structured values become JSON text, dates ISO 8601 with their offset. A
 * null is left out: a column that is not nullable then gets its default.
 *
 * @internal
 */
final readonly class JsonRow
{
    public const ID = 'event_id';

    private const FLAGS = JSON_UNESCAPED_UNICODE
        | JSON_UNESCAPED_SLASHES
        | JSON_PRESERVE_ZERO_FRACTION
        | JSON_THROW_ON_ERROR;

    /** @param string $id for an event without an id column of its own */
    public static function of(Record $record, string $id): string
    {
        $members = [self::ID => $id];

        foreach ($record->values as $column => $value) {
            if ($value === null) {
                continue;
            }

            $members[$column] = match (true) {
                $value instanceof Json => $value->text,
                $value instanceof DateTimeImmutable => $value->format('Y-m-d\TH:i:s.uP'),
                $value instanceof Bytes => mb_check_encoding($value->value, 'UTF-8')
                    ? $value->value
                    : base64_encode($value->value),
                // ClickHouse rejects true for a column of type UInt8.
                is_bool($value) => (int) $value,
                default => $value,
            };
        }

        return json_encode($members, self::FLAGS);
    }
}
