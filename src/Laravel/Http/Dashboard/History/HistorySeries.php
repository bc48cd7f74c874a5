<?php

declare(strict_types=1);

namespace Headroom\Laravel\Http\Dashboard\History;

use Headroom\Spool\History\HistoryMinute;

/**
 * The minutes of one bucket as the page draws them: events in each minute, computed from totals, and gauges.
 *
 * @internal
 */
final readonly class HistorySeries
{
    /**
     * @param array<int, HistoryMinute> $seen by minute
     * @param array<string, array<int, float>> $flows events in a minute, by counter and minute
     */
    private function __construct(private array $seen, private array $flows, private int $from, private int $to) {}

    /**
     * @param array<int, HistoryMinute> $seen by minute, ascending; minutes before the first one are for the differences
     * @param int $to the minute after the last one
     * @param bool $isAlone only flushes of this machine deliver the bucket, so their batches are all deliveries
     */
    public static function of(array $seen, int $from, int $to, bool $isAlone): self
    {
        /** @var array<string, array<int, float>> $flows */
        $flows = ['accepted' => [], 'delivered' => [], 'dead' => [], 'dropped' => []];
        $batches = [];
        $before = null;

        foreach ($seen as $minute => $one) {
            if ($before !== null && $one->isObserved()) {
                // The first flush of a minute observes, when it has delivered. What the totals gained since the last
                // observation was accepted in the minutes before this one, also in those without a flush.
                self::spread($flows['accepted'], $before->minute, $minute, $before->accepted, $one->accepted);
                self::spread($flows['dropped'], $before->minute, $minute, $before->dropped, $one->dropped);
                // A bucket that is not flushed for minutes is delivered at the end of them.
                self::spread($flows['delivered'], $minute - 1, $minute, $before->delivered, $one->delivered);
                self::spread($flows['dead'], $minute - 1, $minute, $before->dead, $one->dead);
            }

            $batches[$minute] = (float) $one->events;
            $before = $one->isObserved() ? $one : $before;
        }

        return new self($seen, $isAlone ? ['delivered' => $batches] + $flows : $flows, $from, $to);
    }

    /**
     * @param array<int, float> $flow
     * @param-out array<int, float> $flow
     * @param int $until the minute after the last one
     */
    private static function spread(array &$flow, int $from, int $until, ?int $before, ?int $now): void
    {
        // A total that has decreased is that of a restored disk.
        if ($before === null || $now === null || $now < $before) {
            return;
        }

        for ($minute = $from; $minute < $until; $minute++) {
            $flow[$minute] = (float) ($now - $before) / ($until - $from);
        }
    }

    /** @return array<string, list<int|float|null>> */
    public function toArray(int $step): array
    {
        $points = [];

        for ($start = $this->from; $start < $this->to; $start += $step) {
            foreach ($this->point(range($start, $start + $step - 1)) as $name => $value) {
                $points[$name][] = $value;
            }
        }

        return $points;
    }

    /**
     * @param list<int> $minutes
     * @return array<string, int|float|null>
     */
    private function point(array $minutes): array
    {
        $seen = self::at($this->seen, $minutes);
        $batches = array_sum(array_column($seen, 'batches'));
        $events = array_sum(array_column($seen, 'events'));
        $micros = array_sum(array_column($seen, 'deliveryMicros'));
        $oldest = self::last(array_column($seen, 'oldestMilliseconds'));

        return [
            'accepted' => $this->flow('accepted', $minutes),
            'delivered' => $this->flow('delivered', $minutes),
            'dead' => $this->flow('dead', $minutes),
            'dropped' => $this->flow('dropped', $minutes),
            'pending' => self::last(array_column($seen, 'pending')),
            'oldest_seconds' => $oldest === null ? null : $oldest / 1_000,
            'flushes' => array_sum(array_column($seen, 'flushes')),
            'failed' => array_sum(array_column($seen, 'failed')),
            'batches' => $batches,
            'batch_size' => $batches === 0 ? null : round($events / $batches, 1),
            'largest_batch' => $batches === 0 ? null : max([0, ...array_column($seen, 'largestBatch')]),
            'delivery_ms' => $batches === 0 ? null : round($micros / $batches / 1_000, 3),
            'slowest_ms' => $batches === 0 ? null : max([0, ...array_column($seen, 'slowestMicros')]) / 1_000,
            'used_bytes' => self::last(array_column($seen, 'usedBytes')),
        ];
    }

    /** @param list<int> $minutes */
    private function flow(string $name, array $minutes): ?float
    {
        $known = self::at($this->flows[$name], $minutes);

        return $known === [] ? null : round(array_sum($known), 2);
    }

    /**
     * Unlike array_intersect_key(), it does not walk through a day for each point.
     *
     * @template T
     * @param array<int, T> $all by minute
     * @param list<int> $minutes
     * @return list<T>
     */
    private static function at(array $all, array $minutes): array
    {
        $found = [];

        foreach ($minutes as $minute) {
            if (isset($all[$minute])) {
                $found[] = $all[$minute];
            }
        }

        return $found;
    }

    /** @param array<array-key, ?int> $values */
    private static function last(array $values): ?int
    {
        $known = array_filter($values, is_int(...));

        return $known === [] ? null : end($known);
    }
}
