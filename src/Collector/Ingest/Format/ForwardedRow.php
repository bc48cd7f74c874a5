<?php

declare(strict_types=1);

namespace Headroom\Collector\Ingest\Format;

use Headroom\Collector\Ingest\ErrorCode;
use Headroom\Collector\Ingest\Event;
use Headroom\Collector\Ingest\EventError;
use Headroom\Collector\Ingest\EventTime;
use Headroom\Collector\Ingest\FieldRules;
use Headroom\Collector\Ingest\IngestLimits;
use Headroom\Collector\Ingest\Json\JsonObject;
use Headroom\Collector\Ingest\Json\JsonSplitter;
use Headroom\Spool\Encoding\Codec;

use function array_diff;
use function array_diff_key;
use function array_key_exists;
use function implode;
use function is_string;
use function json_encode;

/**
 * Reads a row of another buffer as an event. The sender has stored it already, so no column is a reason to reject it: a
 * column that is not a valid type, time or subject is kept with the data.
 *
 * `id` and `source` identify the event if it has both. Without a source, or if the id is a number, another table could
 * have the same id, so the `_id` of the sink identifies it. Without a column `data`, all other columns are the data;
 * otherwise they are the extensions.
 *
 * @internal
 */
final readonly class ForwardedRow implements EventReader
{
    private const SINK_COLUMNS = ['_id' => 1, '_accepted_at' => 1];

    /** @param string $bucket of the sender; the type of a row without one */
    public function __construct(private JsonObject $objects, private string $bucket) {}

    public function read(string $text, int $limit): Event
    {
        [$values, $texts] = $this->objects->read($text, $limit);
        $own = FieldRules::id(
            $values['_id']
                ?? throw EventError::missing(
                    ErrorCode::MissingId,
                    '_id',
                    'Headroom\'s HTTP sink sends one with each row',
                ),
            '/_id',
        );
        $source = self::field($values, 'source', IngestLimits::SOURCE_BYTES);
        $id = $source === null ? null : self::field($values, 'id', IngestLimits::ID_BYTES);
        $type = self::field($values, 'type', IngestLimits::TYPE_BYTES);
        $subject = self::field($values, 'subject', IngestLimits::SUBJECT_BYTES);
        $time = self::time($values['time'] ?? null);
        $fields = ['id' => $id, 'source' => $source, 'type' => $type, 'subject' => $subject, 'time' => $time];
        $rest = array_diff_key($texts, self::SINK_COLUMNS);

        foreach ($fields as $column => $value) {
            if ($value !== null || ($rest[$column] ?? null) === 'null') {
                unset($rest[$column]);
            }
        }

        $hasData = array_key_exists('data', $texts);

        return new Event(
            $type ?? $this->bucket,
            $id ?? $own,
            $source,
            $time ?? self::time($values['_accepted_at'] ?? null),
            $subject,
            $hasData
                ? ($texts['data'] === 'null' ? null : JsonSplitter::singleLine($texts['data']))
                : self::object($rest),
            $hasData ? self::object(array_diff(array_diff_key($rest, ['data' => 1]), ['null'])) : null,
            $text,
        );
    }

    /**
     * @param array<array-key, mixed> $values
     * @param int<1, max> $bytes
     */
    private static function field(array $values, string $column, int $bytes): ?string
    {
        return FieldRules::isValid($values[$column] ?? null, $bytes) ? $values[$column] : null;
    }

    private static function time(mixed $value): ?string
    {
        return is_string($value) ? EventTime::parse($value) : null;
    }

    /** @param array<array-key, string> $texts by name */
    private static function object(array $texts): ?string
    {
        $members = [];

        foreach ($texts as $name => $text) {
            $members[] = json_encode((string) $name, Codec::FLAGS).':'.JsonSplitter::singleLine($text);
        }

        return $members === [] ? null : '{'.implode(',', $members).'}';
    }
}
