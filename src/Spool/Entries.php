<?php

declare(strict_types=1);

namespace Headroom\Spool;

use Generator;
use Headroom\Core\Position;
use IteratorAggregate;

/**
 * Entries that lie behind each other in one segment. A flush goes through so many of them that it reads the lists; all
 * others take one entry after the other.
 *
 * @internal
 *
 * @implements IteratorAggregate<int, Entry>
 */
final readonly class Entries implements IteratorAggregate
{
    /**
     * @param int<1, max> $segment
     * @param int<0, 65535> $index of the first entry's events, the first that is asked for
     * @param non-empty-list<int<0, max>> $offsets where each begins, and where the last one ends
     * @param non-empty-list<int<1, 65535>> $counts events in each
     * @param non-empty-list<int> $times when each was accepted, microseconds since the Unix epoch
     * @param non-empty-list<string> $payloads
     */
    public function __construct(
        public int $segment,
        public int $index,
        private array $offsets,
        public array $counts,
        public array $times,
        public array $payloads,
    ) {}

    /**
     * @param int<0, max> $number of an entry here
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
            ? new Position($this->segment, $this->offsets[$number], $index + 1)
            : new Position($this->segment, $this->offsets[$number + 1], 0);
    }

    /** @return Generator<int, Entry> */
    public function getIterator(): Generator
    {
        foreach ($this->payloads as $number => $payload) {
            yield new Entry($this->position($number, $number === 0 ? $this->index : 0), new Position($this->segment, $this->offsets[$number + 1], 0), $this->counts[$number], $this->times[$number], $payload);
        }
    }
}
