<?php

declare(strict_types=1);

namespace Headroom\Collector\Intake\Format;

use Headroom\Collector\Intake\Batch;
use Headroom\Collector\Intake\Json\Members;
use Headroom\Collector\Intake\Limits;
use Headroom\Collector\Intake\Protobuf\Malformed;
use Headroom\Collector\Intake\Protobuf\Message;
use Headroom\Collector\Intake\Protobuf\ToJson;
use Headroom\Collector\Intake\Protobuf\Wire;
use Headroom\Collector\Intake\Refused;
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
final readonly class OtlpProtobuf implements Format
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

    public function __construct(private Members $members, private Limits $limits) {}

    public function read(Request $request, string $body, Batch $batch): void
    {
        $left = $this->limits->batchEvents;
        $wire = new Wire(Limits::FIELDS);
        $json = new ToJson($this->members->depth, $wire);

        try {
            foreach ($this->fields($wire, $body, self::REQUEST, 1, $batch)[1] ?? [] as $resourceLogs) {
                $left = $left > 0 ? $left - 1 : throw Refused::tooManyEvents($this->limits->batchEvents);
                $parts = $this->fields($wire, $resourceLogs, self::CONTAINER, self::CHILDREN, $batch);
                $resource = new OtlpResource($this->members, $this->parent($json, $parts, Message::Resource));
                self::noteAlone('resource', $resource->text, $parts, $batch);

                foreach ($parts[self::CHILDREN] ?? [] as $scopeLogs) {
                    $left = $left > 0 ? $left - 1 : throw Refused::tooManyEvents($this->limits->batchEvents);
                    $parts = $this->fields($wire, $scopeLogs, self::CONTAINER, self::CHILDREN, $batch);
                    $scope = $this->parent($json, $parts, Message::InstrumentationScope);
                    $ofScope = new OtlpRecord($this->members, $resource, $scope);
                    $reader = new OtlpProtobufRecord($json, $ofScope, $this->members->depth);

                    foreach ($parts[self::CHILDREN] ?? [] as $record) {
                        $batch->offer($record, $reader);
                    }

                    self::noteAlone('scope', $scope, $parts, $batch);
                }
            }
        } catch (Malformed $e) {
            throw Refused::notProtobuf($e->getMessage());
        }

        $batch->note($wire->unread());
    }

    /**
     * @param array<int, string> $known names of fields of bytes, by number
     * @param int $wanted the one that holds what is to be stored
     * @return array<int, list<string>> by number
     *
     * @throws Malformed
     * @throws Refused where something else is in it instead
     */
    private function fields(Wire $wire, string $message, array $known, int $wanted, Batch $batch): array
    {
        $parts = [];
        $unread = [];

        foreach ($wire->fields($message) as [$number, $type, $value]) {
            if (! isset($known[$number]) || $type === Wire::GROUP) {
                $unread[$number] = true;
            } elseif ($type !== Wire::BYTES) {
                throw Malformed::field('ExportLogsServiceRequest', $known[$number], "has the wire type {$type}");
            } else {
                $parts[$number][] = (string) $value;
            }
        }

        if ($unread !== []) {
            $words = 'field '.implode(', field ', array_slice(array_keys($unread), 0, self::MOST_NAMED));
            isset($parts[$wanted]) ? $batch->note($words) : throw Refused::noLogs($words);
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
     * @throws Malformed
     * @throws Refused
     */
    private function parent(ToJson $json, array $parts, Message $message): string
    {
        $bytes = implode('', $parts[self::PARENT] ?? []);

        if (strlen($bytes) > $this->limits->eventBytes) {
            throw Malformed::tooLarge($message->value, strlen($bytes), $this->limits->eventBytes);
        }

        return $json->of($bytes, $message) ?? throw Refused::tooDeep();
    }
}
