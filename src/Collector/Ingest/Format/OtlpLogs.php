<?php

declare(strict_types=1);

namespace Headroom\Collector\Ingest\Format;

use Headroom\Collector\Ingest\Batch;
use Headroom\Collector\Ingest\EventError;
use Headroom\Collector\Ingest\IngestLimits;
use Headroom\Collector\Ingest\Json\JsonObject;
use Headroom\Collector\Ingest\Json\JsonSplitter;
use Headroom\Collector\Ingest\RequestError;
use Headroom\Collector\Request;
use Headroom\Support\TerminalText;

use function array_slice;
use function implode;
use function in_array;
use function preg_match;

/**
 * POST /v1/logs: an ExportLogsServiceRequest of OTLP/HTTP. Unknown members are passed over, as OTLP asks, and named in
 * the answer.
 *
 * @internal
 */
final readonly class OtlpLogs implements EventFormat
{
    public const SUPPORTED = ['application/x-protobuf', 'application/json'];

    private const MOST_NAMED = 5;

    /** A member that says it holds nothing. */
    private const NOTHING = '/\A(?:null|""|\{\s*\}|\[\s*\])\z/';

    /** Names as a .proto file has them, which parsers of its JSON have to take too. */
    private const NAMES = [
        'resource_logs', 'scope_logs', 'log_records', 'schema_url', 'entity_refs', 'id_keys', 'description_keys',
        'time_unix_nano', 'observed_time_unix_nano', 'severity_number', 'severity_text', 'event_name', 'trace_id',
        'span_id', 'dropped_attributes_count', 'string_value', 'bool_value', 'int_value', 'double_value',
        'array_value', 'kvlist_value', 'bytes_value',
    ];

    public function __construct(private JsonObject $members, private IngestLimits $limits) {}

    public function read(Request $request, string $body, Batch $batch): void
    {
        $type = MediaType::of($request);

        match ($type) {
            'application/json', '' => $this->json(JsonSplitter::camelCase(JsonSplitter::withoutMark($body), self::NAMES), $batch),
            'application/x-protobuf', 'application/protobuf' => (new OtlpProtobuf($this->members, $this->limits))
                ->read($request, $body, $batch),
            default => throw RequestError::mediaType(
                $type,
                implode(' or ', self::SUPPORTED),
                implode(', ', self::SUPPORTED),
            ),
        };
    }

    /** @throws RequestError */
    private function json(string $body, Batch $batch): void
    {
        $left = $this->limits->batchEvents;

        foreach ($this->listed($body, 'resourceLogs', $batch)[0] as $resourceLogs) {
            $left = $this->less($left);
            [$scopes, $text] = $this->listed($resourceLogs, 'scopeLogs', $batch, 'resource');
            $resource = new OtlpResource($this->members, $text ?? '{}');

            foreach ($scopes as $scopeLogs) {
                $left = $this->less($left);
                [$records, $scope] = $this->listed($scopeLogs, 'logRecords', $batch, 'scope');
                $reader = new OtlpRecord($this->members, $resource, $scope ?? '{}');

                foreach ($records as $record) {
                    $batch->offer($record, $reader);
                }
            }
        }
    }

    /**
     * What else is in it was sent to be stored, for all that is known here.
     *
     * @return array{iterable<string>, ?string} the items of a list in it, and another member of it
     *
     * @throws RequestError
     */
    private function listed(string $object, string $list, Batch $batch, string $other = ''): array
    {
        $texts = [];
        $unread = [];
        $members = 0;

        foreach (JsonSplitter::eachMember($object) as $name => $member) {
            if (++$members > IngestLimits::MEMBERS) {
                throw RequestError::notJson('An object has more than '.IngestLimits::MEMBERS." members; {$list} is what is read.");
            }

            if (in_array($name, [$list, $other], true)) {
                $texts[$name] = isset($texts[$name]) ? throw RequestError::duplicateMember($name) : $member;
            } elseif ($name !== 'schemaUrl' && preg_match(self::NOTHING, $member) !== 1) {
                $unread[] = $name;
            }

            if ($name !== $list) {
                $this->check($name, $member);
            }
        }

        $items = $texts[$list] ?? 'null';

        if ($unread !== []) {
            $words = "'".implode("', '", array_slice($unread, 0, self::MOST_NAMED))."'";
            isset($texts[$list]) ? $batch->note(TerminalText::name($words)) : throw RequestError::noLogs($words);
        }

        $text = $texts[$other] ?? 'null';

        // It is stored with its records, so that without any it is not, nor is a record that lies within it.
        if (! isset($texts[$list]) && preg_match(self::NOTHING, $text) !== 1) {
            $batch->note("a '{$other}' without log records");
        }

        return [$items === 'null' ? [] : JsonSplitter::eachItem($items), $text === 'null' ? null : $text];
    }

    /** @throws RequestError */
    private function check(string $name, string $text): void
    {
        try {
            $this->members->check($text, $this->limits->eventBytes);
        } catch (EventError $e) {
            throw RequestError::notJson("The member '{$name}': {$e->getMessage()}");
        }
    }

    /**
     * Resources and scopes without records cost time as well.
     *
     * @throws RequestError
     */
    private function less(int $left): int
    {
        return $left > 0 ? $left - 1 : throw RequestError::tooManyEvents($this->limits->batchEvents);
    }
}
