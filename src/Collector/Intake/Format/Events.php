<?php

declare(strict_types=1);

namespace Headroom\Collector\Intake\Format;

use Headroom\Collector\Intake\Batch;
use Headroom\Collector\Intake\Json\Members;
use Headroom\Collector\Intake\Json\Text;
use Headroom\Collector\Intake\Refused;
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
final readonly class Events implements Format
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

    private PlainEvent $plain;

    private PlainEvent $cloud;

    public function __construct(private Members $members)
    {
        $this->plain = new PlainEvent($members, envelope: new Envelope($members->depth));
        $this->cloud = new PlainEvent($members, true);
    }

    public function read(Request $request, string $body, Batch $batch): void
    {
        $type = $request->headers['content-type'] ?? '';

        if (isset($request->headers[Rows::HEADER]) && Rows::areIn($request)) {
            (new Rows($this->members))->read($request, $body, $batch);

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
        $body = Text::withoutMark($body);

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
            'application/json', 'text/json', 'text/plain', '' => Text::first($body) === '['
                ? $this->items($body, $this->plain, $batch)
                : $batch->offer($this->some($body), $this->plain),
            default => throw Refused::mediaType($type, self::WORDS),
        };
    }

    /** @throws Refused */
    private function some(string $body): string
    {
        return Text::first($body) !== ''
            ? $body
            : throw Refused::noEvents(
                'The body is empty. Send an event, such as {"type": "order.placed", "data": {}}.',
            );
    }

    /** @throws Refused */
    private function items(string $body, PlainEvent $reader, Batch $batch): void
    {
        $this->some($body);

        foreach (Text::eachItem($body) as $item) {
            $batch->offer($item, $reader);
        }
    }

    /**
     * Lines with nothing on them are passed over.
     *
     * @throws Refused
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
