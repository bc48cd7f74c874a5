<?php

declare(strict_types=1);

namespace Headroom\Collector\Ingest;

use Headroom\Collector\DeadLetters;
use Headroom\Collector\Ingest\Authentication\ApiKey;
use Headroom\Collector\Ingest\Format\EventReader;
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
 * The events of one request on their way to the buffer.
 *
 * @internal
 */
final class Batch
{
    /** @var list<string> */
    private array $lines = [];

    private int $bytes = 0;

    /** Bytes of the data of all events, whether they were taken or not. */
    private int $built = 0;

    /** @var int<0, max> */
    private int $size = 0;

    /** @var list<?string> one for each event, null where it was not taken */
    private array $ids = [];

    private bool $hasMadeIds = false;

    /** @var list<array{index: int, code: string, pointer: string, message: string}> */
    private array $errors = [];

    /** @var array<string, int<1, max>> by code */
    private array $refusals = [];

    /** @var array<int, ErrorCode> by the event's number */
    private array $reasons = [];

    /** @var list<string> */
    private array $deadLines = [];

    private int $deadBytes = 0;

    private string $unread = '';

    private readonly int $limit;

    private readonly int $most;

    private readonly EventEncoder $row;

    /** @param int $now microseconds since the Unix epoch */
    public function __construct(
        private readonly IngestSettings $settings,
        private readonly ?ApiKey $key,
        private readonly EventIdGenerator $made,
        Codec $codec,
        private readonly ?WildcardNames $types,
        private readonly ?SchemaValidator $schemas,
        int $now,
    ) {
        $this->limit = min($settings->limits->eventBytes, $key->eventBytes ?? PHP_INT_MAX);
        $this->most = $settings->limits->batchEvents;
        $this->row = new EventEncoder($codec, $key->name ?? $settings->source, $key?->name, $now);
    }

    /**
     * The next one, which is taken or named among the errors.
     *
     * @throws RequestError where there are too many of them, and so none is taken
     */
    public function offer(string $text, EventReader $reader): void
    {
        $index = $this->size++;

        if ($index >= $this->most) {
            throw RequestError::tooManyEvents($this->most);
        }

        try {
            $event = $reader->read($text, $this->limit);
            $this->count($event);
            $this->add($index, $event);
        } catch (EventError $e) {
            $this->reject($index, $e, $text);
        }
    }

    /** @param string $names of what was in the request beside the events and is not stored */
    public function note(string $names): void
    {
        $this->unread = $this->unread === '' ? $names : $this->unread;
    }

    /** @return string the first of what was noted; '' for nothing */
    public function unread(): string
    {
        return $this->unread;
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

    /** @return ?list<?string> of all events; null when each had its own */
    public function ids(): ?array
    {
        return $this->hasMadeIds ? $this->ids : null;
    }

    /** @return list<array{index: int, code: string, pointer: string, message: string}> the first ones */
    public function errors(): array
    {
        return $this->errors;
    }

    /** @return array<string, int<1, max>> how many were not taken, by code */
    public function refusals(): array
    {
        return $this->refusals;
    }

    /** @return array<int, ErrorCode> of all that were not taken, by their number in the request */
    public function reasons(): array
    {
        return $this->reasons;
    }

    public function dead(): ?DeadLetters
    {
        $count = count($this->deadLines);

        return $count > 0 && $this->settings->deadBucket !== null
            ? new DeadLetters($this->settings->deadBucket, implode("\n", $this->deadLines), $count)
            : null;
    }

    /**
     * What is said once in a request and is in many events was not paid for with bytes of the body,
     * also where they are not taken.
     *
     * @throws RequestError
     */
    private function count(Event $event): void
    {
        $this->built += strlen($event->data ?? '') + strlen($event->extensions ?? '');

        if ($this->built > IngestLimits::STORED_BYTES + $this->settings->limits->batchBytes) {
            throw RequestError::storesTooLarge(IngestLimits::STORED_BYTES);
        }
    }

    /**
     * @throws RequestError
     * @throws EventError
     */
    private function add(int $index, Event $event): void
    {
        if ($this->key !== null && ! $this->key->maySend($event->type)) {
            throw EventError::typeNotAllowed($event->type, $this->key->name);
        }

        if ($this->types !== null && ! $this->types->match($event->type)) {
            throw EventError::unknownType($event->type);
        }

        $this->schemas?->check($event->type, $event->data);
        $id = $event->id ?? $this->made->of($index);

        try {
            $line = $this->row->line($event, $id);
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
            $this->hasMadeIds = true;
        }
    }

    private function reject(int $index, EventError $e, string $text): void
    {
        $this->ids[] = null;
        $this->reasons[$index] = $e->reason;
        $code = $e->reason->value;
        $this->refusals[$code] = ($this->refusals[$code] ?? 0) + 1;

        if (count($this->errors) < $this->settings->limits->errors) {
            $this->errors[] = [
                'index' => $index,
                'code' => $code,
                'pointer' => $e->pointer,
                'message' => $e->getMessage(),
            ];
        }

        if ($this->settings->deadBucket !== null) {
            $this->bury($e, $text);
        }
    }

    /** What is too large for the buffer is cut, and what is behind the first 8 MiB of it is only counted. */
    private function bury(EventError $e, string $text): void
    {
        try {
            $line = $this->row->dead($e, Utf8Cut::cut($text, $this->settings->limits->eventBytes), strlen($text));
        } catch (InvalidEvent) {
            // Control characters take six bytes each.
            $line = $this->row->dead($e, Utf8Cut::cut($text, intdiv(Codec::MAX_EVENT_BYTES, 8)), strlen($text));
        }

        $this->deadBytes += strlen($line) + 1;

        if ($this->deadBytes <= IngestLimits::STORED_BYTES) {
            $this->deadLines[] = $line;
        }
    }
}
