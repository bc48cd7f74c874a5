<?php

declare(strict_types=1);

namespace Headroom\Sink\Elasticsearch;

/**
 * How much one request has: as much as the server bears. It is halved where that was too much and grows back slowly,
 * within one process.
 *
 * @internal
 */
final class RequestSize
{
    public const MOST_EVENTS = 1000;

    public const MOST_BYTES = 5_242_880;

    private const LEAST_EVENTS = 10;

    /** Twenty answers from the half to the whole. */
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
        // One that was not full tells nothing.
        if (count($chunk->documents) >= $this->events) {
            $this->events = min(self::MOST_EVENTS, $this->events + self::STEP);
        }
    }

    /** It had no time for so many at once, or none at all just then: a chunk of one tells no more than that. */
    public function wasBusy(): void
    {
        $this->events = max(self::LEAST_EVENTS, intdiv($this->events, 2));
    }

    /** A limit of bytes is a setting of somebody's and does not change by waiting, so this does not grow back. */
    public function wasTooLarge(BulkChunk $chunk): void
    {
        $this->bytes = min($this->bytes, intdiv($chunk->bytes(), 2));
    }
}
