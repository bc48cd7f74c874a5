<?php

declare(strict_types=1);

namespace Headroom\Spool\Flush;

use Generator;
use Headroom\Core\Batch;
use Headroom\Core\Position;
use Headroom\Core\Record;
use Headroom\Sink\Delivery;
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
 * Cuts a log into deliveries. A delivery is a range of the log and spans frames and segments as it fills.
 *
 * @internal
 */
final class BatchReader
{
    /** Of lines: a thousand events of a megabyte each would exhaust any memory limit, and the bucket never get on. */
    private const MAX_BYTES = 4_194_304;

    /** Of the lines since the last delivery. */
    private int $bytes = 0;

    public function __construct(
        private readonly Log $log,
        private readonly Codec $codec,
        private readonly Source $source,
        private readonly FlushReport $report,
    ) {}

    /**
     * To be called once.
     *
     * @param int<1, max> $size events per delivery, fewer when they are large
     * @param ?Position $begun where the first delivery must end, whatever its size and the limits
     * @param ?int<1, max> $limit events in all
     * @return Generator<int, Delivery>
     *
     * @throws UnableToFlush
     */
    public function read(Position $from, int $size, ?Position $begun = null, ?int $limit = null): Generator
    {
        [$records, $cursor, $end, $taken] = [[], $from, $from, 0];

        foreach ($this->records($from) as $next => $record) {
            if ($limit !== null && $taken >= $limit && $begun === null) {
                $this->report->more = true;

                break;
            }

            $records[] = $record;
            $end = $next;
            $taken++;

            if ($begun === null ? count($records) >= $size || $this->bytes >= self::MAX_BYTES : $end->compare($begun) >= 0) {
                yield new Delivery($this->source, $cursor, $end, new Batch($records));

                [$records, $cursor, $begun, $this->bytes] = [[], $end, null, 0];
            }
        }

        if ($begun !== null) {
            throw UnableToFlush::plannedEndNotFound($this->source->bucket, $begun->toString());
        }

        if ($records !== []) {
            yield new Delivery($this->source, $cursor, $end, new Batch($records));
        }
    }

    /** @return Generator<Position, Record> by the place behind it */
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

    /** @return Generator<Position, Record> */
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

    private function record(Position $position, int $acceptedAt, string $line): Record
    {
        try {
            [$values, $ownId, $replaced] = $this->codec->decode($line);
        } catch (UnableToDecode $e) {
            throw UnableToFlush::undecodable($position->toString(), $e->getMessage());
        }

        $this->report->replaced += $replaced;
        $this->bytes += strlen($line);

        return new Record($position, $acceptedAt, $values, $ownId);
    }
}
