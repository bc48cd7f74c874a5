<?php

declare(strict_types=1);

namespace Headroom\Spool\Flush;

use Generator;
use Headroom\Core\Position;
use Headroom\Core\Record;
use Headroom\Sink\Source;
use Headroom\Spool\Codec;
use Headroom\Spool\Entry;
use Headroom\Spool\Log;
use Headroom\Spool\Loss;
use Headroom\Spool\UnableToDecode;
use Headroom\Spool\UnableToFlush;

use function count;
use function min;
use function str_contains;
use function strlen;
use function strpos;
use function substr;

/**
 * Cuts a log into parcels. A parcel is a range of the log and spans frames and segments as it fills. What can not be
 * read, or is dead already, comes by itself between two of them.
 *
 * @internal
 */
final class BatchReader
{
    /** Of lines: a thousand events of a megabyte each would exhaust any memory limit, and the bucket never get on. */
    private const MAX_BYTES = 4_194_304;

    /** Of the lines since the last delivery. */
    private int $bytes = 0;

    /** Of the event that is being read. */
    private Position $position;

    /** @param array<string, true> $dead events that are not to be handed over, by place */
    public function __construct(
        private readonly Log $log,
        private readonly Codec $codec,
        private readonly Source $source,
        private readonly FlushReport $report,
        private readonly array $dead = [],
    ) {
        $this->position = Position::start();
    }

    /**
     * To be called once.
     *
     * @param int<1, max> $size events per parcel, fewer when they are large
     * @param ?Position $begun where the first parcel must end, whatever its size and the limits
     * @param ?int<1, max> $limit events in all
     * @return Generator<int, Parcel|Condemned>
     *
     * @throws UnableToFlush
     */
    public function read(Position $from, int $size, ?Position $begun = null, ?int $limit = null): Generator
    {
        [$records, $ends, $cursor, $taken] = [[], [], $from, 0];

        foreach ($this->records($from) as $end => $item) {
            if ($limit !== null && $taken >= $limit && $begun === null) {
                $this->report->more = true;

                break;
            }

            $taken++;

            if ($item instanceof Record) {
                $records[] = $item;
                $ends[] = $end;

                if ($begun === null ? count($records) < $size && $this->bytes < self::MAX_BYTES : $end->compare($begun) < 0) {
                    continue;
                }
            }

            if ($records !== [] && $ends !== []) {
                yield new Parcel($this->source, $cursor, $records, $ends);

                [$cursor, $records, $ends, $this->bytes] = [$ends[count($ends) - 1], [], [], 0];
            }

            if ($item instanceof UnableToDecode || $item === null) {
                yield new Condemned($cursor, $this->position, $end, $item?->getMessage());

                $cursor = $end;
            }

            $begun = $begun === null || $end->compare($begun) >= 0 ? null : $begun;
        }

        if ($begun !== null) {
            throw UnableToFlush::plannedEndNotFound($this->source->bucket, $begun->toString());
        }

        if ($records !== [] && $ends !== []) {
            yield new Parcel($this->source, $cursor, $records, $ends);
        }
    }

    /** @return Generator<Position, Record|UnableToDecode|null> by the place behind it; null has its letter already */
    private function records(Position $from): Generator
    {
        foreach ($this->log->read($from) as $item) {
            if ($item instanceof Loss) {
                $this->report->saw($item);
            } elseif ($item->count === 1 && ! str_contains($item->payload, "\n")) {
                // What most requests write, without a second generator.
                yield $item->end => $this->record($item->position, $item->acceptedAt, $item->payload);
            } else {
                yield from $this->recordsOf($item);
            }
        }
    }

    /** @return Generator<Position, Record|UnableToDecode|null> */
    private function recordsOf(Entry $entry): Generator
    {
        $offset = 0;

        for ($index = 0; $index < $entry->count; $index++) {
            $newline = strpos($entry->payload, "\n", $offset);
            $end = $newline === false ? strlen($entry->payload) : $newline;
            $line = substr($entry->payload, $offset, $end - $offset);
            $offset = min($end + 1, strlen($entry->payload));

            if ($index < $entry->position->index) {
                continue;
            }

            $position = new Position($entry->position->segment, $entry->position->offset, $index);

            yield $index + 1 === $entry->count ? $entry->end : new Position($position->segment, $position->offset, $index + 1)
                => $this->record($position, $entry->acceptedAt, $line);
        }

        if ($offset < strlen($entry->payload)) {
            throw UnableToFlush::undecodable($entry->position->toString(), "its frame says {$entry->count} events and holds more lines.");
        }
    }

    /** @return Record|UnableToDecode|null null when it has its letter already */
    private function record(Position $position, int $acceptedAt, string $line): Record|UnableToDecode|null
    {
        $this->position = $position;

        if ($this->dead !== [] && isset($this->dead[$position->toString()])) {
            return null;
        }

        try {
            [$values, $ownId, $replaced] = $this->codec->decode($line);
        } catch (UnableToDecode $e) {
            return $e->isOfNewerVersion ? throw UnableToFlush::undecodable($position->toString(), $e->getMessage()) : $e;
        }

        $this->report->replaced += $replaced;
        $this->bytes += strlen($line);

        return new Record($position, $acceptedAt, $values, $ownId);
    }
}
