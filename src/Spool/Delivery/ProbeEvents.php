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
 * Single events of a log that have nothing to do with each other: from before the cursor, where most have been taken,
 * and from all over what waits.
 *
 * @internal
 */
final readonly class ProbeEvents
{
    /** Of the way back, by segments: a flood of an hour has one for each flush. */
    private const FURTHEST_BACK = 4_096;

    /** Of the way ahead, and in one segment on the way back. */
    private const MOST_BYTES = 33_554_432;

    public function __construct(private ConsumerLease $lease, private Codec $codec) {}

    /**
     * Nearer ones first, further apart the further back. Some are dead letters, and refused again.
     *
     * @return Generator<int, ?Delivery> null where there is none at such a place
     *
     * @throws UnableToFlush
     */
    public function fromBehind(): Generator
    {
        $cursor = $this->lease->state()->progress->position;

        // What Redis has delivered it does not keep.
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

            // What is older is cleaned away, and the oldest that is left lies between.
            $isGrowing = $isGrowing && $ends !== [];
            $back += $ends === [] ? 0 : $step;
        }
    }

    /**
     * In no order.
     *
     * @param int<1, max> $most
     * @return Generator<int, ?Delivery> null where there is none at such a place
     *
     * @throws UnableToFlush
     */
    public function fromAhead(int $most): Generator
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

            if ($bytes > self::MOST_BYTES) {
                break;
            }
        }

        shuffle($chosen);

        foreach ($chosen as $position) {
            yield from $this->at($position);
        }
    }

    /**
     * @return list<Position> of the last and of the first event in a segment before the cursor; none when it is gone
     */
    private function endsOf(int $segment, Position $cursor): array
    {
        if ($segment < 1) {
            return [];
        }

        [$first, $last, $bytes] = [null, null, 0];

        foreach ($this->lease->read(new Position($segment, 0, 0)) as $item) {
            if (! $item instanceof LogEntries || $item->segment !== $segment || $bytes > self::MOST_BYTES) {
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

    /** @return Generator<int, ?Delivery> null when it is no event */
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
