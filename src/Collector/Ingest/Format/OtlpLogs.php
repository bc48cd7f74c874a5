<?php

declare(strict_types=1);

namespace Headroom\Collector\Ingest\Format;

use Generator;
use Headroom\Collector\Ingest\Event;
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
 * POST /v1/logs: an ExportLogsServiceRequest of OTLP/HTTP. OTLP requires to skip unknown members;
 * the response names them.
 *
 * @internal
 */
final readonly class OtlpLogs implements EventFormat
{
    public const SUPPORTED = ['application/x-protobuf', 'application/json'];

    private const MAX_NAMED = 5;

    /** The value of an empty member. */
    private const EMPTY = '/\A(?:null|""|\{\s*\}|\[\s*\])\z/';

    /** Names of the .proto files, which a parser of the JSON mapping must accept too. */
    private const NAMES = [
        'resource_logs', 'scope_logs', 'log_records', 'schema_url', 'entity_refs', 'id_keys', 'description_keys',
        'time_unix_nano', 'observed_time_unix_nano', 'severity_number', 'severity_text', 'event_name', 'trace_id',
        'span_id', 'dropped_attributes_count', 'string_value', 'bool_value', 'int_value', 'double_value',
        'array_value', 'kvlist_value', 'bytes_value',
    ];

    public function __construct(private JsonObject $objects, private IngestLimits $limits) {}

    public function events(Request $request, string $body, int $limit): Generator
    {
        $type = MediaType::of($request);

        return match ($type) {
            'application/json', '' => yield from $this->json(
                JsonSplitter::camelCase(JsonSplitter::withoutByteOrderMark($body), self::NAMES),
                $limit,
            ),
            'application/x-protobuf', 'application/protobuf' => yield from (
                new OtlpProtobuf($this->objects, $this->limits)
            )->events($request, $body, $limit),
            default => throw RequestError::mediaType(
                $type,
                implode(' or ', self::SUPPORTED),
                implode(', ', self::SUPPORTED),
            ),
        };
    }

    /**
     * @return Generator<int, Event|EventError, void, string>
     *
     * @throws RequestError
     */
    private function json(string $body, int $limit): Generator
    {
        $ignored = '';
        $left = $this->limits->batchEvents;

        foreach ($this->listed($body, 'resourceLogs', $ignored)[0] as $resourceLogs) {
            $left = $this->countDown($left);
            [$scopes, $text] = $this->listed($resourceLogs, 'scopeLogs', $ignored, 'resource');
            $resource = new OtlpResource($this->objects, $text ?? '{}');

            foreach ($scopes as $scopeLogs) {
                $left = $this->countDown($left);
                [$records, $scope] = $this->listed($scopeLogs, 'logRecords', $ignored, 'scope');
                $reader = new OtlpRecord($this->objects, $resource, $scope ?? '{}');

                foreach ($records as $record) {
                    yield EventOrError::of($reader, $record, $limit);
                }
            }
        }

        return $ignored;
    }

    /**
     * @param string $ignored gets the names of members that hold no record, unless it names others already
     * @return array{iterable<string>, ?string} the items of the list, and the other member
     *
     * @throws RequestError
     */
    private function listed(string $object, string $list, string &$ignored, string $other = ''): array
    {
        $texts = [];
        $unread = [];
        $members = 0;

        foreach (JsonSplitter::eachMember($object) as $name => $member) {
            if (++$members > IngestLimits::MEMBERS) {
                throw RequestError::notJson(
                    'An object has more than '.IngestLimits::MEMBERS." members; {$list} is what is read.",
                );
            }

            if (in_array($name, [$list, $other], true)) {
                $texts[$name] = isset($texts[$name]) ? throw RequestError::duplicateMember($name) : $member;
            } elseif ($name !== 'schemaUrl' && preg_match(self::EMPTY, $member) !== 1) {
                $unread[] = $name;
            }

            if ($name !== $list) {
                $this->check($name, $member);
            }
        }

        $items = $texts[$list] ?? 'null';

        if ($unread !== []) {
            $names = "'".implode("', '", array_slice($unread, 0, self::MAX_NAMED))."'";
            $found = isset($texts[$list]) ? TerminalText::name($names) : throw RequestError::noLogs($names);
            $ignored = $ignored === '' ? $found : $ignored;
        }

        $text = $texts[$other] ?? 'null';

        // It is stored with its records, so it is lost if it has none.
        if (! isset($texts[$list]) && preg_match(self::EMPTY, $text) !== 1) {
            $ignored = $ignored === '' ? "a '{$other}' without log records" : $ignored;
        }

        return [$items === 'null' ? [] : JsonSplitter::eachItem($items), $text === 'null' ? null : $text];
    }

    /** @throws RequestError */
    private function check(string $name, string $text): void
    {
        try {
            $this->objects->check($text, $this->limits->eventBytes);
        } catch (EventError $e) {
            throw RequestError::notJson("The member '{$name}': {$e->getMessage()}");
        }
    }

    /**
     * Counts resources and scopes too, because they cost time without records.
     *
     * @throws RequestError
     */
    private function countDown(int $left): int
    {
        return $left > 0 ? $left - 1 : throw RequestError::tooManyEvents($this->limits->batchEvents);
    }
}
