<?php

declare(strict_types=1);

namespace Headroom\Spool\Delivery;

use Headroom\Core\Batch;
use Headroom\Core\Position;
use Headroom\Core\Record;
use Headroom\Core\Rows;
use Headroom\Spool\Encoding\Codec;
use Headroom\Spool\Store\LogEntries;

/**
 * The positions of events that were read one after the other. A position is computed when it is needed.
 *
 * A Start has the number of the first event that is in a LogEntries, that LogEntries, and the entry and index of that
 * event.
 *
 * @internal
 *
 * @phpstan-type Start array{int<0, max>, LogEntries, int<0, max>, int<0, 65535>}
 */
final readonly class Offsets
{
    /** @param non-empty-list<Start> $starts in order */
    public function __construct(private array $starts) {}

    /**
     * @param array<int, string> $ownIds ids that events brought, by the number of the event
     * @param int<0, max> $first number of the first row's event
     */
    public function batch(Rows $rows, array $ownIds, int $first): Batch
    {
        return new Batch($rows, function (int $event, array $values) use ($ownIds): Record {
            [$entries, $number, $index] = $this->entryOf($event);

            return new Record(
                $entries->position($number, $index),
                $entries->times[$number],
                Codec::withDates($values),
                $ownIds[$event] ?? null,
            );
        }, $this->behind(...), $first);
    }

    /** @param int<0, max> $event */
    public function position(int $event): Position
    {
        [$entries, $number, $index] = $this->entryOf($event);

        return $entries->position($number, $index);
    }

    /**
     * Returns the position after the event.
     *
     * @param int<0, max> $event
     */
    public function behind(int $event): Position
    {
        [$entries, $number, $index] = $this->entryOf($event);

        return $entries->behind($number, $index);
    }

    /**
     * @param int<0, max> $event
     * @return array{LogEntries, int<0, max>, int<0, 65535>} the entry and the event in it
     */
    private function entryOf(int $event): array
    {
        [$low, $high] = [0, count($this->starts) - 1];

        // Finds the last start that is not after the event.
        while ($low < $high) {
            $middle = intdiv($low + $high + 1, 2);
            [$low, $high] = $this->starts[$middle][0] <= $event ? [$middle, $high] : [$low, $middle - 1];
        }

        [$first, $entries, $number, $index] = $this->starts[$low];

        return [$entries, ...$entries->after($number, $index, max(0, $event - $first))];
    }
}
