<?php

declare(strict_types=1);

namespace Headroom\Sink\Elasticsearch;

use DateTimeImmutable;
use DateTimeInterface;
use Headroom\Core\Bytes;
use Headroom\Core\Json;
use Headroom\Core\Record;

/**
 * Encodes an event as a document. Structured values are embedded unchanged, dates are ISO 8601, and bytes that are not
 * UTF-8 are base64.
 *
 * @internal
 */
final readonly class Document
{
    public const TIMESTAMP = '@timestamp';

    private const FLAGS = JSON_UNESCAPED_UNICODE
        | JSON_UNESCAPED_SLASHES
        | JSON_PRESERVE_ZERO_FRACTION
        | JSON_THROW_ON_ERROR;

    private const RFC_3339 =
        '/\A(\d{4})-(\d\d)-(\d\d)T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d(?:\.\d{1,9})?(?:Z|[+-](?:0\d|1[0-8]):[0-5]\d)\z/';

    /** Metadata fields of Elasticsearch and OpenSearch, which reject a document that contains one. */
    private const METADATA = [
        '_id', '_index', '_source', '_type', '_routing', '_field_names', '_ignored', '_nested_path', '_seq_no',
        '_primary_term', '_version', '_size', '_tier', '_uid', '_parent', '_all', '_feature', '_doc_count',
        '_data_stream_timestamp', '_recovery_source', '_ignored_source',
    ];

    private function __construct(public string $json, public int $seconds) {}

    /** @param string $timestamp the column with the event's own time */
    public static function of(Record $record, string $timestamp): self
    {
        $given = $record->values[self::TIMESTAMP] ?? null;
        [$time, $seconds] = self::time($given)
            ?? self::time($record->values[$timestamp] ?? null)
            ?? [self::accepted($record->acceptedAt), intdiv($record->acceptedAt, 1_000_000)];
        $plain = [self::TIMESTAMP => $time];
        $structured = '';

        foreach ($record->values as $column => $value) {
            // A column of that name would give the document two members with the same name.
            if ($column === self::TIMESTAMP) {
                continue;
            }

            $name = self::distinct($column);

            if ($value instanceof Json) {
                // A line break between two tokens would end the document.
                $structured .= ','.json_encode($name, self::FLAGS).':'.$value->line();
            } else {
                $plain[$name] = $value instanceof DateTimeImmutable || $value instanceof Bytes
                    ? self::text($value)
                    : $value;
            }
        }

        $json = json_encode($plain, self::FLAGS);

        return new self($structured === '' ? $json : substr($json, 0, -1).$structured.'}', $seconds);
    }

    private static function text(DateTimeImmutable|Bytes $value): string
    {
        return match (true) {
            $value instanceof DateTimeImmutable => $value->format('Y-m-d\TH:i:s.uP'),
            mb_check_encoding($value->value, 'UTF-8') => $value->value,
            default => base64_encode($value->value),
        };
    }

    /**
     * @return ?array{string, int} null if the value is not an unambiguous time: a time without an offset is ambiguous
     */
    private static function time(mixed $value): ?array
    {
        $text = match (true) {
            $value instanceof DateTimeInterface => $value->format('Y-m-d\TH:i:s.uP'),
            $value instanceof Bytes => $value->value,
            default => $value,
        };

        if (
            ! is_string($text)
            || preg_match(self::RFC_3339, $text, $m) !== 1
            || ! checkdate((int) $m[2], (int) $m[3], max(1, (int) $m[1]))
        ) {
            return null;
        }

        $seconds = strtotime($text);

        return $seconds === false ? null : [$text, $seconds];
    }

    private static function accepted(int $micros): string
    {
        return gmdate('Y-m-d\TH:i:s', intdiv($micros, 1_000_000)).sprintf('.%06dZ', $micros % 1_000_000);
    }

    /** As in JsonLine: `_id` becomes `__id`, and `__id` becomes `___id`. */
    private static function distinct(string $column): string
    {
        return ($column[0] ?? '') === '_' && in_array('_'.ltrim($column, '_'), self::METADATA, true)
            ? "_{$column}"
            : $column;
    }
}
