<?php

declare(strict_types=1);

namespace Headroom\Collector\Ingest;

use Headroom\Collector\DeadLetters;
use Headroom\Collector\Ingest\Authentication\ApiKey;
use Headroom\Collector\Ingest\Schema\SchemaValidator;
use Headroom\Spool\Encoding\Codec;
use Headroom\Spool\InvalidEvent;
use Headroom\Support\Utf8Cut;

use function count;
use function implode;
use function intdiv;
use function min;
use function strlen;

/**
 * The events of one request: checked, encoded for the buffer, and the errors of those that are rejected.
 *
 * @internal
 */
final class Batch
{
    /** @var list<string> */
    private array $lines = [];

    private int $bytes = 0;

    /** Bytes of the data of all events, accepted or rejected. */
    private int $dataBytes = 0;

    /** @var int<0, max> */
    private int $size = 0;

    /** @var list<?string> one for each event; null for a rejected event */
    private array $ids = [];

    private bool $hasGeneratedIds = false;

    /** @var list<array{index: int, code: string, pointer: string, message: string}> */
    private array $errors = [];

    /** @var array<string, int<1, max>> by code */
    private array $rejections = [];

    /** @var array<int, ErrorCode> by index of the event */
    private array $reasons = [];

    /** @var list<string> */
    private array $deadLines = [];

    private int $deadBytes = 0;

    /** Bytes of one event. */
    public readonly int $limit;

    private readonly int $maxEvents;

    private readonly EventEncoder $encoder;

    /** @param int $now microseconds since the Unix epoch */
    public function __construct(
        private readonly IngestSettings $settings,
        private readonly ?ApiKey $key,
        private readonly EventIdGenerator $idGenerator,
        Codec $codec,
        private readonly ?WildcardNames $types,
        private readonly ?SchemaValidator $schemas,
        int $now,
    ) {
        $this->limit = min($settings->limits->eventBytes, $key->eventBytes ?? PHP_INT_MAX);
        $this->maxEvents = $settings->limits->batchEvents;
        $this->encoder = new EventEncoder($codec, $key->name ?? $settings->source, $key?->name, $now);
    }

    /**
     * Encodes the event, or records why it is rejected.
     *
     * @throws RequestError if the request as a whole exceeds a limit
     */
    public function add(Event|EventError $event): void
    {
        $index = $this->size++;

        if ($index >= $this->maxEvents) {
            throw RequestError::tooManyEvents($this->maxEvents);
        }

        if ($event instanceof EventError) {
            $this->reject($index, $event, $event->text);

            return;
        }

        try {
            $this->countBytes($event);
            $this->encode($index, $event);
        } catch (EventError $error) {
            $this->reject($index, $error, $event->text);
        }
    }

    /** @return int<0, max> */
    public function size(): int
    {
        return $this->size;
    }

    /** @return int<0, max> */
    public function accepted(): int
    {
        return count($this->lines);
    }

    public function rejected(): int
    {
        return $this->size - count($this->lines);
    }

    public function lines(): string
    {
        return implode("\n", $this->lines);
    }

    /** @return ?list<?string> of all events; null if the client named each one */
    public function ids(): ?array
    {
        return $this->hasGeneratedIds ? $this->ids : null;
    }

    /** @return list<array{index: int, code: string, pointer: string, message: string}> the first ones */
    public function errors(): array
    {
        return $this->errors;
    }

    /** @return array<string, int<1, max>> number of rejected events by code */
    public function rejections(): array
    {
        return $this->rejections;
    }

    /** @return array<int, ErrorCode> of the rejected events, by index in the request */
    public function reasons(): array
    {
        return $this->reasons;
    }

    public function deadLetters(): ?DeadLetters
    {
        $count = count($this->deadLines);

        return $count > 0 && $this->settings->deadBucket !== null
            ? new DeadLetters($this->settings->deadBucket, implode("\n", $this->deadLines), $count)
            : null;
    }

    /**
     * A request may state a value once that is stored with each event, such as an OTLP resource, so that the size of
     * the body does not bound the memory for its events.
     *
     * @throws RequestError
     */
    private function countBytes(Event $event): void
    {
        $this->dataBytes += strlen($event->data ?? '') + strlen($event->extensions ?? '');

        if ($this->dataBytes > IngestLimits::STORED_BYTES + $this->settings->limits->batchBytes) {
            throw RequestError::storesTooLarge(IngestLimits::STORED_BYTES);
        }
    }

    /**
     * @throws RequestError
     * @throws EventError
     */
    private function encode(int $index, Event $event): void
    {
        if ($this->key !== null && ! $this->key->maySend($event->type)) {
            throw EventError::typeNotAllowed($event->type, $this->key->name);
        }

        if ($this->types !== null && ! $this->types->matches($event->type)) {
            throw EventError::unknownType($event->type);
        }

        $this->schemas?->check($event->type, $event->data);
        $id = $event->id ?? $this->idGenerator->generate($index);

        try {
            $line = $this->encoder->line($event, $id);
        } catch (InvalidEvent) {
            throw EventError::tooLarge(strlen($event->text), $this->limit);
        }

        $this->bytes += strlen($line) + 1;

        if ($this->bytes > IngestLimits::STORED_BYTES) {
            throw RequestError::storesTooLarge(IngestLimits::STORED_BYTES);
        }

        $this->lines[] = $line;
        $this->ids[] = $id;

        if ($event->id === null) {
            $this->hasGeneratedIds = true;
        }
    }

    private function reject(int $index, EventError $e, string $text): void
    {
        $this->ids[] = null;
        $this->reasons[$index] = $e->reason;
        $code = $e->reason->value;
        $this->rejections[$code] = ($this->rejections[$code] ?? 0) + 1;

        if (count($this->errors) < $this->settings->limits->errors) {
            $this->errors[] = [
                'index' => $index,
                'code' => $code,
                'pointer' => $e->pointer,
                'message' => $e->getMessage(),
            ];
        }

        if ($this->settings->deadBucket !== null) {
            $this->deadLetter($e, $text);
        }
    }

    /** Cuts an event that is too large for the buffer. Only counts what exceeds one append of 8 MiB. */
    private function deadLetter(EventError $e, string $text): void
    {
        try {
            $line = $this->encoder->deadLetter(
                $e,
                Utf8Cut::cut($text, $this->settings->limits->eventBytes),
                strlen($text),
            );
        } catch (InvalidEvent) {
            // JSON encodes a control character as six bytes.
            $line = $this->encoder->deadLetter(
                $e,
                Utf8Cut::cut($text, intdiv(Codec::MAX_EVENT_BYTES, 8)),
                strlen($text),
            );
        }

        $this->deadBytes += strlen($line) + 1;

        if ($this->deadBytes <= IngestLimits::STORED_BYTES) {
            $this->deadLines[] = $line;
        }
    }
}
