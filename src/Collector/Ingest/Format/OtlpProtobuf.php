<?php

declare(strict_types=1);

namespace Headroom\Collector\Ingest\Format;

use Generator;
use Headroom\Collector\Ingest\IngestLimits;
use Headroom\Collector\Ingest\Json\JsonObject;
use Headroom\Collector\Ingest\Protobuf\JsonConverter;
use Headroom\Collector\Ingest\Protobuf\MalformedProtobuf;
use Headroom\Collector\Ingest\Protobuf\MessageType;
use Headroom\Collector\Ingest\Protobuf\WireReader;
use Headroom\Collector\Ingest\RequestError;
use Headroom\Collector\Request;

use function array_keys;
use function array_slice;
use function implode;
use function strlen;

/**
 * The body of POST /v1/logs in Protocol Buffers. Its records are stored like those in JSON.
 *
 * @internal
 */
final readonly class OtlpProtobuf implements EventFormat
{
    /** Field numbers of the request, and of ResourceLogs and ScopeLogs, which are the same. */
    private const REQUEST = [1 => 'resource_logs'];

    private const PARENT = 1;

    private const CHILDREN = 2;

    private const CONTAINER = [
        self::PARENT => 'resource or scope',
        self::CHILDREN => 'scope_logs or log_records',
        3 => 'schema_url',
    ];

    private const MAX_NAMED = 5;

    public function __construct(private JsonObject $objects, private IngestLimits $limits) {}

    public function events(Request $request, string $body, int $limit): Generator
    {
        $ignored = '';
        $left = $this->limits->batchEvents;
        $wire = new WireReader(IngestLimits::FIELDS);
        $json = new JsonConverter($this->objects->depth, $wire);

        try {
            foreach ($this->fields($wire, $body, self::REQUEST, 1, $ignored)[1] ?? [] as $resourceLogs) {
                $left = $left > 0 ? $left - 1 : throw RequestError::tooManyEvents($this->limits->batchEvents);
                $parts = $this->fields($wire, $resourceLogs, self::CONTAINER, self::CHILDREN, $ignored);
                $resource = new OtlpResource($this->objects, $this->parent($json, $parts, MessageType::Resource));
                $ignored = self::withoutRecords('resource', $resource->text, $parts, $ignored);

                foreach ($parts[self::CHILDREN] ?? [] as $scopeLogs) {
                    $left = $left > 0 ? $left - 1 : throw RequestError::tooManyEvents($this->limits->batchEvents);
                    $parts = $this->fields($wire, $scopeLogs, self::CONTAINER, self::CHILDREN, $ignored);
                    $scope = $this->parent($json, $parts, MessageType::InstrumentationScope);
                    $ofScope = new OtlpRecord($this->objects, $resource, $scope);
                    $reader = new OtlpProtobufRecord($json, $ofScope, $this->objects->depth);

                    foreach ($parts[self::CHILDREN] ?? [] as $record) {
                        yield EventOrError::of($reader, $record, $limit);
                    }

                    $ignored = self::withoutRecords('scope', $scope, $parts, $ignored);
                }
            }
        } catch (MalformedProtobuf $e) {
            throw RequestError::notProtobuf($e->getMessage());
        }

        return $ignored === '' ? $wire->unread() : $ignored;
    }

    /**
     * @param array<int, string> $known names of length-delimited fields, by number
     * @param int $wanted number of the field with the records
     * @param string $ignored gets the numbers of unknown fields, unless it names others already
     * @return array<int, list<string>> by number
     *
     * @throws MalformedProtobuf
     * @throws RequestError where something else is in it instead
     */
    private function fields(WireReader $wire, string $message, array $known, int $wanted, string &$ignored): array
    {
        $parts = [];
        $unread = [];

        foreach ($wire->fields($message) as [$number, $type, $value]) {
            if (! isset($known[$number]) || $type === WireReader::GROUP) {
                $unread[$number] = true;
            } elseif ($type !== WireReader::BYTES) {
                throw MalformedProtobuf::field(
                    'ExportLogsServiceRequest',
                    $known[$number],
                    "has the wire type {$type}",
                );
            } else {
                $parts[$number][] = (string) $value;
            }
        }

        if ($unread !== []) {
            $names = 'field '.implode(', field ', array_slice(array_keys($unread), 0, self::MAX_NAMED));
            $found = isset($parts[$wanted]) ? $names : throw RequestError::noLogs($names);
            $ignored = $ignored === '' ? $found : $ignored;
        }

        return $parts;
    }

    /** @param array<int, list<string>> $parts */
    private static function withoutRecords(string $name, string $json, array $parts, string $ignored): string
    {
        return $ignored === '' && $json !== '{}' && ! isset($parts[self::CHILDREN])
            ? "a '{$name}' without log records"
            : $ignored;
    }

    /**
     * @param array<int, list<string>> $parts
     *
     * @throws MalformedProtobuf
     * @throws RequestError
     */
    private function parent(JsonConverter $json, array $parts, MessageType $message): string
    {
        $bytes = implode('', $parts[self::PARENT] ?? []);

        if (strlen($bytes) > $this->limits->eventBytes) {
            throw MalformedProtobuf::tooLarge($message->value, strlen($bytes), $this->limits->eventBytes);
        }

        return $json->of($bytes, $message) ?? throw RequestError::tooDeep();
    }
}
