<?php

declare(strict_types=1);

namespace Headroom\Sink\Elasticsearch;

/**
 * The number of events and bytes in one request. It halves when the server is overloaded and grows slowly afterwards.
 * It lasts for one process.
 *
 * @internal
 */
final class RequestSize
{
    public const MAX_EVENTS = 1000;

    public const MAX_BYTES = 5_242_880;

    private const MIN_EVENTS = 10;

    /** Twenty successful requests grow the size from half to full. */
    private const STEP = 25;

    private int $events = self::MAX_EVENTS;

    private int $bytes = self::MAX_BYTES;

    /** @return int<1, max> */
    public function events(): int
    {
        return max(1, $this->events);
    }

    public function bytes(): int
    {
        return $this->bytes;
    }

    public function onSuccess(BulkChunk $chunk): void
    {
        // A request that was not full does not show that the server can take a larger one.
        if (count($chunk->documents) >= $this->events) {
            $this->events = min(self::MAX_EVENTS, $this->events + self::STEP);
        }
    }

    /** The server was too busy for this number of events, or for any number. It does not say which. */
    public function onBusy(): void
    {
        $this->events = max(self::MIN_EVENTS, intdiv($this->events, 2));
    }

    /** A server's limit of bytes is a setting, so this size does not grow back. */
    public function onTooLarge(BulkChunk $chunk): void
    {
        $this->bytes = min($this->bytes, intdiv($chunk->bytes(), 2));
    }
}
