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
 * A row of another buffer as an event. It lies on disk there already, so nothing in its columns is a reason to refuse
 * it: a column that is no type, time or subject of an event is kept with the data.
 *
 * `id` and `source` name it when it has both; one that is a number, or that no source goes with, another table could
 * have as well, and then the `_id` of the sink does. Without a column `data` all others are the data,
 * else they are the extensions.
 *
 * @internal
 */
final readonly class ForwardedRow extends EventReader
{
    private const SINKS = ['_id' => 1, '_accepted_at' => 1];

    /** @param string $bucket of the sender: the type of rows that have none */
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
        $source = self::word($values, 'source', IngestLimits::SOURCE_BYTES);
        $id = $source === null ? null : self::word($values, 'id', IngestLimits::ID_BYTES);
        $type = self::word($values, 'type', IngestLimits::TYPE_BYTES);
        $subject = self::word($values, 'subject', IngestLimits::SUBJECT_BYTES);
        $time = self::time($values['time'] ?? null);
        $isTaken = ['id' => $id, 'source' => $source, 'type' => $type, 'subject' => $subject, 'time' => $time];
        $rest = array_diff_key($texts, self::SINKS);

        foreach ($isTaken as $column => $value) {
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
    private static function word(array $values, string $column, int $bytes): ?string
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
