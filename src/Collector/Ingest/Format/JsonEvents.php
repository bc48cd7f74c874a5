<?php

declare(strict_types=1);

namespace Headroom\Collector\Ingest\Format;

use Generator;
use Headroom\Collector\Ingest\Event;
use Headroom\Collector\Ingest\EventError;
use Headroom\Collector\Ingest\Json\JsonObject;
use Headroom\Collector\Ingest\Json\JsonSplitter;
use Headroom\Collector\Ingest\RequestError;
use Headroom\Collector\Request;

use function str_starts_with;
use function strlen;
use function strpos;
use function strspn;
use function substr;

/**
 * POST /v1/events: one event, an array of events, or one event per line; plain or CloudEvents.
 *
 * @internal
 */
final readonly class JsonEvents implements EventFormat
{
    public const SUPPORTED = [
        'application/json',
        'application/x-ndjson',
        'application/cloudevents+json',
        'application/cloudevents-batch+json',
        'text/plain',
    ];

    private const SUPPORTED_TEXT = 'application/json, application/x-ndjson, application/cloudevents+json,'
        .' application/cloudevents-batch+json, a CloudEvent in binary mode, or JSON as text/plain';

    private JsonEventReader $plain;

    private JsonEventReader $cloud;

    public function __construct(private JsonObject $objects)
    {
        $this->plain = new JsonEventReader($objects, shapes: new EventShapeCache($objects->depth));
        $this->cloud = new JsonEventReader($objects, true);
    }

    public function events(Request $request, string $body, int $limit): Generator
    {
        $type = $request->headers['content-type'] ?? '';

        if (isset($request->headers[ForwardedRows::HEADER]) && ForwardedRows::isIn($request)) {
            return yield from (new ForwardedRows($this->objects))->events($request, $body, $limit);
        }

        if (
            isset($request->headers['ce-specversion'])
            && ! str_starts_with(strtolower($type), 'application/cloudevents')
        ) {
            return yield from (new BinaryCloudEvent($this->objects))->events($request, $body, $limit);
        }

        $type = $type === 'application/json' ? $type : MediaType::of($request);
        $body = JsonSplitter::withoutByteOrderMark($body);

        yield from match ($type) {
            'application/cloudevents-batch+json' => $this->items($body, $this->cloud, $limit),
            'application/cloudevents+json' => [EventOrError::of($this->cloud, $this->nonEmpty($body), $limit)],
            'application/x-ndjson',
            'application/ndjson',
            'application/jsonl',
            'application/x-jsonl',
            'application/jsonlines',
            'application/x-jsonlines' => $this->lines($body, $limit),
            'application/json', 'text/json', 'text/plain', '' => JsonSplitter::firstCharacter($body) === '['
                ? $this->items($body, $this->plain, $limit)
                : [EventOrError::of($this->plain, $this->nonEmpty($body), $limit)],
            default => throw RequestError::mediaType($type, self::SUPPORTED_TEXT),
        };

        return '';
    }

    /** @throws RequestError */
    private function nonEmpty(string $body): string
    {
        return JsonSplitter::firstCharacter($body) !== ''
            ? $body
            : throw RequestError::noEvents(
                'The body is empty. Send an event, such as {"type": "order.placed", "data": {}}.',
            );
    }

    /**
     * @return iterable<int, Event|EventError>
     *
     * @throws RequestError
     */
    private function items(string $body, JsonEventReader $reader, int $limit): iterable
    {
        $this->nonEmpty($body);

        foreach (JsonSplitter::eachItem($body) as $item) {
            yield EventOrError::of($reader, $item, $limit);
        }
    }

    /**
     * Skips empty lines.
     *
     * @return iterable<int, Event|EventError>
     *
     * @throws RequestError
     */
    private function lines(string $body, int $limit): iterable
    {
        $length = strlen($body);

        for ($at = strspn($body, " \t\r\n"); $at < $length; $at += strspn($body, " \t\r\n", $at)) {
            $end = strpos($body, "\n", $at);
            $end = $end === false ? $length : $end;

            yield EventOrError::of($this->plain, substr($body, $at, $end - $at), $limit);
            $at = $end;
        }
    }
}
