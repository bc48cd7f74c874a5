<?php

declare(strict_types=1);

namespace Headroom\Spool\Store;

use Generator;
use Headroom\Core\Position;
use IteratorAggregate;

/**
 * Entries that follow each other in one segment, as lists: an object for each entry would cost a flush half as much as
 * decoding it. Others than a flush take one entry after the other.
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
     * @param non-empty-list<int<0, max>> $offsets where each begins, and where the last one ends
     * @param non-empty-list<int<1, 65535>> $counts events in each
     * @param non-empty-list<int> $times when each was accepted, microseconds since the Unix epoch
     * @param non-empty-list<string> $payloads
     * @param int<0, 65535> $index of the first entry's events, the first that is asked for
     * @param ?int<0, max> $bytes of the payloads; null where the offsets are bytes
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

    /** Whether each holds one event and nothing else: then all of them are asked for. */
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
     * The place behind an event.
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

    /** @return int<0, max> that all of them take in the log */
    public function bytes(): int
    {
        return $this->bytes ?? max(0, $this->offsets[count($this->offsets) - 1] - $this->offsets[0]);
    }

    /**
     * The event that is so many events further on.
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
