<?php

declare(strict_types=1);

namespace Headroom\Spool\RedisStore\Stream;

use Generator;
use Headroom\Core\Position;
use Headroom\Spool\Store\LogEntries;

/**
 * Groups the entries of one millisecond. In a stream, they take the place of a segment.
 *
 * @internal
 */
final class EntryGrouper
{
    /** @var list<StreamEntry> */
    private array $entries = [];

    public function takes(StreamEntry $entry): bool
    {
        return $this->entries === [] || $this->entries[0]->millis === $entry->millis;
    }

    public function add(StreamEntry $entry): void
    {
        $this->entries[] = $entry;
    }

    /**
     * Yields the present group, if it has entries, and begins a new one.
     *
     * @param Position $from the position at which reading began
     * @return Generator<int, LogEntries>
     */
    public function end(Position $from): Generator
    {
        if ($this->entries === []) {
            return;
        }

        $entries = $this->entries;
        $this->entries = [];
        $first = $entries[0];
        $offsets = $counts = $times = $payloads = [];
        $bytes = 0;

        foreach ($entries as $entry) {
            $offsets[] = $entry->sequence;
            $counts[] = $entry->count;
            $times[] = $entry->acceptedAt;
            $payloads[] = $entry->payload;
            $bytes += strlen($entry->payload);
        }

        $offsets[] = $entries[count($entries) - 1]->sequence + 1;
        $isFirst = $first->millis === $from->segment && $first->sequence === $from->offset;

        yield new LogEntries(
            max(1, $first->millis),
            $offsets,
            $counts,
            $times,
            $payloads,
            $isFirst ? $from->index : 0,
            $bytes,
        );
    }
}
