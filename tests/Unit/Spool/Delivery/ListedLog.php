<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Spool\Delivery;

use Headroom\Core\Position;
use Headroom\Sink\Progress;
use Headroom\Spool\Store\Log;
use Headroom\Spool\Store\LogEntries;

/**
 * A log whose entries are given: segments of stretches of payloads, each payload some lines.
 */
final readonly class ListedLog implements Log
{
    /**
     * @param list<list<non-empty-list<non-empty-list<string>>>> $segments stretches of entries of lines, by segment
     * @param int<1, max> $entryBytes size of each entry, for any content
     */
    public function __construct(private array $segments, private int $entryBytes = 100) {}

    public function seal(): void {}

    public function read(Position $from): iterable
    {
        foreach ($this->segments as $number => $stretches) {
            $segment = $number + 1;
            $offset = 0;

            foreach ($stretches as $entries) {
                $end = $offset + count($entries) * $this->entryBytes;

                if ([$segment, $end] > [$from->segment, $from->offset]) {
                    $skipped = $segment === $from->segment
                        ? max(0, intdiv($from->offset - $offset, $this->entryBytes))
                        : 0;
                    $left = array_slice($entries, $skipped);
                    $index = $segment === $from->segment && $offset + $skipped * $this->entryBytes === $from->offset
                        ? $from->index
                        : 0;

                    if ($left !== []) {
                        yield new LogEntries(
                            $segment,
                            range($offset + $skipped * $this->entryBytes, $end, $this->entryBytes),
                            array_map(static fn (array $lines): int => min(65_535, count($lines)), $left),
                            array_fill(0, count($left), 1),
                            array_map(static fn (array $lines): string => implode("\n", $lines), $left),
                            $index,
                        );
                    }
                }

                $offset = $end;
            }
        }
    }

    /** @return list<array{Position, Position, string}> each event's place, the place behind it, and its line */
    public function events(): array
    {
        $events = [];

        foreach ($this->read(Position::start()) as $entries) {
            foreach ($entries instanceof LogEntries ? $entries : [] as $entry) {
                foreach (explode("\n", $entry->payload) as $index => $line) {
                    $place = new Position($entry->position->segment, $entry->position->offset, min(65_535, $index));
                    $events[] = [
                        $place,
                        $index + 1 < $entry->count
                            ? new Position($place->segment, $place->offset, min(65_535, $index + 1))
                            : $entry->end,
                        $line,
                    ];
                }
            }
        }

        return $events;
    }

    public function checksum(Progress $from, Position $to): string
    {
        return '';
    }

    public function isWhole(Position $from, Position $to): bool
    {
        return true;
    }
}
