<?php

declare(strict_types=1);

namespace Headroom\Collector\Ingest\Format;

use Headroom\Collector\Ingest\Batch;
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
 * POST /v1/events: one event, an array of them, or one on each line; bare or as CloudEvents.
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

    private const WORDS = 'application/json, application/x-ndjson, application/cloudevents+json,'
        .' application/cloudevents-batch+json, a CloudEvent in binary mode, or JSON as text/plain';

    private JsonEventReader $plain;

    private JsonEventReader $cloud;

    public function __construct(private JsonObject $members)
    {
        $this->plain = new JsonEventReader($members, envelope: new EventShapeCache($members->depth));
        $this->cloud = new JsonEventReader($members, true);
    }

    public function read(Request $request, string $body, Batch $batch): void
    {
        $type = $request->headers['content-type'] ?? '';

        if (isset($request->headers[ForwardedRows::HEADER]) && ForwardedRows::areIn($request)) {
            (new ForwardedRows($this->members))->read($request, $body, $batch);

            return;
        }

        if (
            isset($request->headers['ce-specversion'])
            && ! str_starts_with(strtolower($type), 'application/cloudevents')
        ) {
            (new BinaryCloudEvent($this->members))->read($request, $body, $batch);

            return;
        }

        $type = $type === 'application/json' ? $type : MediaType::of($request);
        $body = JsonSplitter::withoutMark($body);

        // The batch begins like the single one, so it is asked for first.
        match ($type) {
            'application/cloudevents-batch+json' => $this->items($body, $this->cloud, $batch),
            'application/cloudevents+json' => $batch->offer($this->some($body), $this->cloud),
            'application/x-ndjson',
            'application/ndjson',
            'application/jsonl',
            'application/x-jsonl',
            'application/jsonlines',
            'application/x-jsonlines' => $this->lines($body, $batch),
            'application/json', 'text/json', 'text/plain', '' => JsonSplitter::first($body) === '['
                ? $this->items($body, $this->plain, $batch)
                : $batch->offer($this->some($body), $this->plain),
            default => throw RequestError::mediaType($type, self::WORDS),
        };
    }

    /** @throws RequestError */
    private function some(string $body): string
    {
        return JsonSplitter::first($body) !== ''
            ? $body
            : throw RequestError::noEvents(
                'The body is empty. Send an event, such as {"type": "order.placed", "data": {}}.',
            );
    }

    /** @throws RequestError */
    private function items(string $body, JsonEventReader $reader, Batch $batch): void
    {
        $this->some($body);

        foreach (JsonSplitter::eachItem($body) as $item) {
            $batch->offer($item, $reader);
        }
    }

    /**
     * Lines with nothing on them are passed over.
     *
     * @throws RequestError
     */
    private function lines(string $body, Batch $batch): void
    {
        $length = strlen($body);

        for ($at = strspn($body, " \t\r\n"); $at < $length; $at += strspn($body, " \t\r\n", $at)) {
            $end = strpos($body, "\n", $at);
            $end = $end === false ? $length : $end;
            $batch->offer(substr($body, $at, $end - $at), $this->plain);
            $at = $end;
        }
    }
}
