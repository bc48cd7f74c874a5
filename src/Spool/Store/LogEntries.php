<?php

declare(strict_types=1);

namespace Headroom\Spool\Store;

use Generator;
use Headroom\Core\Position;
use IteratorAggregate;

/**
 * Consecutive entries of one segment, as lists. An object per entry would cost a flush half as much time as decoding
 * the entry. Other callers iterate over LogEntry objects.
 *
 * @internal
 *
 * @implements IteratorAggregate<int, LogEntry>
 */
final readonly class LogEntries implements IteratorAggregate
{
    /** Whether each entry has one event. */
    public bool $hasOneEach;

    /**
     * @param int<1, max> $segment
     * @param non-empty-list<int<0, max>> $offsets start of each entry, and the end of the last one
     * @param non-empty-list<int<1, 65535>> $counts events in each
     * @param non-empty-list<int> $times when each was accepted, microseconds since the Unix epoch
     * @param non-empty-list<string> $payloads
     * @param int<0, 65535> $index the first event within the first entry
     * @param ?int<0, max> $bytes size of the payloads; null when the offsets are byte offsets
     */
    public function __construct(
        public int $segment,
        public array $offsets,
        public array $counts,
        public array $times,
        public array $payloads,
        public int $index = 0,
        private ?int $bytes = null,
    ) {
        $this->hasOneEach = max($counts) === 1;
    }

    /** Whether each payload is exactly one event. */
    public function areSingle(): bool
    {
        return $this->hasOneEach && ! str_contains(implode('', $this->payloads), "\n");
    }

    /**
     * @param int<0, max> $number of an entry
     * @param int<0, 65535> $index of an event in it
     */
    public function position(int $number, int $index): Position
    {
        return new Position($this->segment, $this->offsets[$number], $index);
    }

    /**
     * Returns the position after an event.
     *
     * @param int<0, max> $number
     * @param int<0, 65535> $index
     */
    public function behind(int $number, int $index): Position
    {
        return $index + 1 < $this->counts[$number]
            ? $this->position($number, $index + 1)
            : $this->position($number + 1, 0);
    }

    /** @return int<0, max> size of the entries in the log */
    public function bytes(): int
    {
        return $this->bytes ?? max(0, $this->offsets[count($this->offsets) - 1] - $this->offsets[0]);
    }

    /**
     * Finds the event that is the given number of events further on.
     *
     * @param int<0, max> $number
     * @param int<0, 65535> $index
     * @param int<0, max> $events
     * @return array{int<0, max>, int<0, 65535>} entry and index
     */
    public function after(int $number, int $index, int $events): array
    {
        if ($this->hasOneEach) {
            return [$number + $events, 0];
        }

        $index += $events;

        while ($index >= $this->counts[$number]) {
            $index -= $this->counts[$number++];
        }

        /** @var int<0, 65535> $index below the entry's count */
        return [$number, $index];
    }

    /** @return Generator<int, LogEntry> */
    public function getIterator(): Generator
    {
        foreach ($this->payloads as $number => $payload) {
            yield new LogEntry(
                $this->position($number, $number === 0 ? $this->index : 0),
                $this->position($number + 1, 0),
                $this->counts[$number],
                $this->times[$number],
                $payload,
            );
        }
    }
}
