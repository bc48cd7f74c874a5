<?php

declare(strict_types=1);

namespace Headroom\Load\Metrics;

/**
 * The run in intervals of equal length, without gaps. They start with an eighth of a second. When there are too many,
 * neighbours are merged, so a week takes no more memory than a minute.
 */
final class TimeSeries
{
    private const SHORTEST_NANOS = 125_000_000;

    /** A run of 32 s has intervals of 1/8 s, and a run of 4 minutes has intervals of 1 s. */
    private const MOST = 256;

    private int $width = self::SHORTEST_NANOS;

    /** @var non-empty-list<Interval> */
    private array $intervals;

    private Interval $last;

    public function __construct()
    {
        $this->intervals = [$this->last = new Interval];
    }

    /**
     * @internal
     *
     * @param int $width nanoseconds
     * @param non-empty-list<Interval> $intervals
     */
    public static function of(int $width, array $intervals): self
    {
        $series = new self;
        $series->width = $width;
        $series->intervals = $intervals;
        $series->last = $intervals[count($intervals) - 1];

        return $series;
    }

    /** Seconds of each interval; the last one ends with the run. */
    public function width(): float
    {
        return $this->width / 1e9;
    }

    /** @return non-empty-list<Interval> */
    public function intervals(): array
    {
        return $this->intervals;
    }

    /**
     * The interval that contains the present.
     *
     * @internal
     */
    public function current(): Interval
    {
        return $this->last;
    }

    /**
     * The end of the present interval, in nanoseconds from the start of the run.
     *
     * @internal
     */
    public function end(): int
    {
        return count($this->intervals) * $this->width;
    }

    /**
     * Continues to a time, in nanoseconds from the start of the run, never back.
     *
     * @internal
     */
    public function advance(int $nanos, int $inFlight): void
    {
        while ($nanos >= $this->end()) {
            if (count($this->intervals) === self::MOST) {
                $this->mergeNeighbours();
            } else {
                $this->intervals[] = $this->last = new Interval($inFlight);
            }
        }
    }

    /**
     * Adds the series of another process of the run, which started at the same time.
     *
     * @internal
     */
    public function merge(self $other): void
    {
        while ($this->width < $other->width) {
            $this->mergeNeighbours();
        }

        while ($other->width < $this->width) {
            $other->mergeNeighbours();
        }

        foreach ($other->intervals as $i => $interval) {
            isset($this->intervals[$i]) ? $this->intervals[$i]->merge($interval) : $this->intervals[] = $interval;
        }

        $this->last = $this->intervals[count($this->intervals) - 1];
    }

    /**
     * @param float $seconds how long the run took
     * @return list<array<string, mixed>> see docs/load.md
     */
    public function toArray(float $seconds): array
    {
        $intervals = [];

        foreach ($this->intervals as $i => $interval) {
            $from = $i * $this->width();
            // The clock may have been read before the end of the run and after it.
            $length = max(0.0, min($this->width(), $seconds - $from));
            $intervals[] = ['from_s' => round($from, 3), 'seconds' => round($length, 3)] + $interval->toArray();
        }

        return $intervals;
    }

    private function mergeNeighbours(): void
    {
        $intervals = [];

        foreach (array_chunk($this->intervals, 2) as $pair) {
            if (isset($pair[1])) {
                $pair[0]->append($pair[1]);
            }

            $intervals[] = $this->last = $pair[0];
        }

        $this->width *= 2;
        $this->intervals = $intervals;
    }
}
