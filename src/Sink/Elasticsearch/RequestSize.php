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
    public const MOST_EVENTS = 1000;

    public const MOST_BYTES = 5_242_880;

    private const LEAST_EVENTS = 10;

    /** Twenty successful requests grow the size from half to full. */
    private const STEP = 25;

    private int $events = self::MOST_EVENTS;

    private int $bytes = self::MOST_BYTES;

    /** @return int<1, max> */
    public function events(): int
    {
        return max(1, $this->events);
    }

    public function bytes(): int
    {
        return $this->bytes;
    }

    public function wasTaken(BulkChunk $chunk): void
    {
        // A request that was not full proves nothing.
        if (count($chunk->documents) >= $this->events) {
            $this->events = min(self::MOST_EVENTS, $this->events + self::STEP);
        }
    }

    /** The server was too busy for this number of events, or for any: a chunk of one event shows no difference. */
    public function wasBusy(): void
    {
        $this->events = max(self::LEAST_EVENTS, intdiv($this->events, 2));
    }

    /** A server's limit of bytes is a setting, so this size does not grow back. */
    public function wasTooLarge(BulkChunk $chunk): void
    {
        $this->bytes = min($this->bytes, intdiv($chunk->bytes(), 2));
    }
}
