<?php

declare(strict_types=1);

namespace Headroom\Collector\Ingest\Format;

use Headroom\Collector\Ingest\Batch;
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
 * The body of POST /v1/logs in Protocol Buffers. Its records are stored as those in JSON are.
 *
 * @internal
 */
final readonly class OtlpProtobuf implements EventFormat
{
    /** Numbers of fields of the request, of ResourceLogs and of ScopeLogs, which are alike. */
    private const REQUEST = [1 => 'resource_logs'];

    private const PARENT = 1;

    private const CHILDREN = 2;

    private const CONTAINER = [
        self::PARENT => 'resource or scope',
        self::CHILDREN => 'scope_logs or log_records',
        3 => 'schema_url',
    ];

    private const MOST_NAMED = 5;

    public function __construct(private JsonObject $members, private IngestLimits $limits) {}

    public function read(Request $request, string $body, Batch $batch): void
    {
        $left = $this->limits->batchEvents;
        $wire = new WireReader(IngestLimits::FIELDS);
        $json = new JsonConverter($this->members->depth, $wire);

        try {
            foreach ($this->fields($wire, $body, self::REQUEST, 1, $batch)[1] ?? [] as $resourceLogs) {
                $left = $left > 0 ? $left - 1 : throw RequestError::tooManyEvents($this->limits->batchEvents);
                $parts = $this->fields($wire, $resourceLogs, self::CONTAINER, self::CHILDREN, $batch);
                $resource = new OtlpResource($this->members, $this->parent($json, $parts, MessageType::Resource));
                self::noteAlone('resource', $resource->text, $parts, $batch);

                foreach ($parts[self::CHILDREN] ?? [] as $scopeLogs) {
                    $left = $left > 0 ? $left - 1 : throw RequestError::tooManyEvents($this->limits->batchEvents);
                    $parts = $this->fields($wire, $scopeLogs, self::CONTAINER, self::CHILDREN, $batch);
                    $scope = $this->parent($json, $parts, MessageType::InstrumentationScope);
                    $ofScope = new OtlpRecord($this->members, $resource, $scope);
                    $reader = new OtlpProtobufRecord($json, $ofScope, $this->members->depth);

                    foreach ($parts[self::CHILDREN] ?? [] as $record) {
                        $batch->offer($record, $reader);
                    }

                    self::noteAlone('scope', $scope, $parts, $batch);
                }
            }
        } catch (MalformedProtobuf $e) {
            throw RequestError::notProtobuf($e->getMessage());
        }

        $batch->note($wire->unread());
    }

    /**
     * @param array<int, string> $known names of fields of bytes, by number
     * @param int $wanted the one that holds what is to be stored
     * @return array<int, list<string>> by number
     *
     * @throws MalformedProtobuf
     * @throws RequestError where something else is in it instead
     */
    private function fields(WireReader $wire, string $message, array $known, int $wanted, Batch $batch): array
    {
        $parts = [];
        $unread = [];

        foreach ($wire->fields($message) as [$number, $type, $value]) {
            if (! isset($known[$number]) || $type === WireReader::GROUP) {
                $unread[$number] = true;
            } elseif ($type !== WireReader::BYTES) {
                throw MalformedProtobuf::field('ExportLogsServiceRequest', $known[$number], "has the wire type {$type}");
            } else {
                $parts[$number][] = (string) $value;
            }
        }

        if ($unread !== []) {
            $words = 'field '.implode(', field ', array_slice(array_keys($unread), 0, self::MOST_NAMED));
            isset($parts[$wanted]) ? $batch->note($words) : throw RequestError::noLogs($words);
        }

        return $parts;
    }

    /** @param array<int, list<string>> $parts */
    private static function noteAlone(string $name, string $json, array $parts, Batch $batch): void
    {
        if ($json !== '{}' && ! isset($parts[self::CHILDREN])) {
            $batch->note("a '{$name}' without log records");
        }
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
