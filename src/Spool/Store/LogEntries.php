<?php

declare(strict_types=1);

namespace Headroom\Spool\Store;

use Generator;
use IteratorAggregate;

/**
 * Entries that follow each other in one segment. A flush goes through so many of them that it reads the lists; all others
 * take one entry after the other.
 *
 * @internal
 *
 * @implements IteratorAggregate<int, LogEntry>
 */
final readonly class LogEntries implements IteratorAggregate
{
    /**
     * @param int<0, 65535> $index of the first entry's events, the first that is asked for
     * @param non-empty-list<string> $payloads
     */
    public function __construct(public OffsetRange $stretch, public int $index, public array $payloads) {}

    /** Whether each holds one event and nothing else: then all of them are asked for. */
    public function areSingle(): bool
    {
        return $this->stretch->hasOneEach && ! str_contains(implode('', $this->payloads), "\n");
    }

    /** @return Generator<int, LogEntry> */
    public function getIterator(): Generator
    {
        foreach ($this->payloads as $number => $payload) {
            yield new LogEntry(
                $this->stretch->position($number, $number === 0 ? $this->index : 0),
                $this->stretch->end($number),
                $this->stretch->counts[$number],
                $this->stretch->times[$number],
                $payload,
            );
        }
    }
}
