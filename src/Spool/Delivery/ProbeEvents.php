<?php

declare(strict_types=1);

namespace Headroom\Spool\Delivery;

use Generator;
use Headroom\Core\Position;
use Headroom\Sink\Delivery;
use Headroom\Spool\Encoding\Codec;
use Headroom\Spool\Store\ConsumerLease;
use Headroom\Spool\Store\LogEntries;
use Headroom\Spool\Store\Replicated;
use Headroom\Spool\UnableToFlush;

/**
 * Unrelated single events of a log, for probes: from before the cursor, where most were accepted, and from the whole
 * backlog.
 *
 * @internal
 */
final readonly class ProbeEvents
{
    /** Number of segments to go back at most. An hour of events has one segment per flush. */
    private const FURTHEST_BACK = 4_096;

    /** Bytes to read at most, of the backlog and of each segment before the cursor. */
    private const MAX_BYTES = 33_554_432;

    public function __construct(private ConsumerLease $lease, private Codec $codec) {}

    /**
     * Returns events before the cursor: the nearest first, with growing distances. Some are dead letters, which are
     * refused again.
     *
     * @return Generator<int, ?Delivery> null when there is no event at a position
     *
     * @throws UnableToFlush
     */
    public function delivered(): Generator
    {
        $cursor = $this->lease->state()->progress->position;

        // Redis does not keep delivered events.
        if ($this->lease instanceof Replicated) {
            return;
        }

        foreach ($this->endsOf($cursor->segment, $cursor) as $position) {
            yield from $this->at($position);
        }

        for ([$back, $step, $isGrowing] = [0, 1, true]; $step > 0; $step = $isGrowing ? 2 * $step : intdiv($step, 2)) {
            $ends = $back + $step > self::FURTHEST_BACK ? [] : $this->endsOf($cursor->segment - $back - $step, $cursor);

            foreach ($ends as $position) {
                yield from $this->at($position);
            }

            // Older segments are cleaned away. The steps get smaller now, to find the oldest segment that is left.
            $isGrowing = $isGrowing && $ends !== [];
            $back += $ends === [] ? 0 : $step;
        }
    }

    /**
     * Returns random events of the backlog, in random order.
     *
     * @param int<1, max> $most
     * @return Generator<int, ?Delivery> null when there is no event at a position
     *
     * @throws UnableToFlush
     */
    public function waiting(int $most): Generator
    {
        [$chosen, $seen, $bytes] = [[], 0, 0];

        foreach ($this->lease->read($this->lease->state()->progress->position) as $item) {
            foreach ($item instanceof LogEntries ? $item->counts : [] as $number => $count) {
                /** @var LogEntries $item */
                for ($index = $number === 0 ? $item->index : 0; $index < $count; $index++) {
                    // Each event is among the chosen with the same probability, however many there are.
                    $place = count($chosen) < $most ? count($chosen) : random_int(0, $seen);
                    $seen++;

                    if ($place < $most) {
                        $chosen[$place] = $item->position(max(0, $number), min(65_535, $index));
                    }
                }
            }

            $bytes += $item instanceof LogEntries ? $item->bytes() : 0;

            if ($bytes > self::MAX_BYTES) {
                break;
            }
        }

        shuffle($chosen);

        foreach ($chosen as $position) {
            yield from $this->at($position);
        }
    }

    /**
     * @return list<Position> of the last and of the first event of a segment before the cursor; empty when the segment
     *     is gone
     */
    private function endsOf(int $segment, Position $cursor): array
    {
        if ($segment < 1) {
            return [];
        }

        [$first, $last, $bytes] = [null, null, 0];

        foreach ($this->lease->read(new Position($segment, 0, 0)) as $item) {
            if (! $item instanceof LogEntries || $item->segment !== $segment || $bytes > self::MAX_BYTES) {
                break;
            }

            $bytes += $item->bytes();

            foreach ($item->counts as $number => $count) {
                $position = $item->position($number, $count - 1);

                if ($position->compare($cursor) >= 0) {
                    break 2;
                }

                $first ??= $item->position($number, 0);
                $last = $position;
            }
        }

        return $first === null || $last === null ? [] : [$last, ...$first->equals($last) ? [] : [$first]];
    }

    /** @return Generator<int, ?Delivery> null when it is not an event */
    private function at(Position $position): Generator
    {
        $reader = new BatchReader(
            $this->lease,
            $this->codec,
            $this->lease->source(),
            new FlushReport(''),
            $position,
            1,
            limit: 1,
        );

        foreach ($reader->read() as $item) {
            yield $item instanceof Delivery ? $item : null;

            return;
        }
    }
}
