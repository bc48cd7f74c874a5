<?php

declare(strict_types=1);

namespace Headroom\Load;

use Generator;
use LogicException;

/**
 * Microseconds in counters whose width grows with the value, so that each value is known to within 0.05 % in fixed
 * memory. After the idea of http://hdrhistogram.org with three significant digits.
 */
final class Histogram
{
    /** @internal How HdrHistogram would name its size. */
    public const BUCKETS = 22;

    /** @internal */
    public const SUB_BUCKETS = self::FINE;

    private const FINE = 2_048;

    private const COARSE = 128;

    /** 71 minutes. What is longer counts into the last counter; minimum, maximum and mean stay exact. */
    private const LIMIT = 2 ** 32;

    /** Values below this have a counter each; every doubling above shares half as many. */
    private int $exact = self::FINE;

    private int $half = self::FINE >> 1;

    /** @var array<int, int> none before the first value: many parts of a run's time have none */
    private array $counts = [];

    private int $count = 0;

    private int $sum = 0;

    private int $min = PHP_INT_MAX;

    private int $max = 0;

    /**
     * Each value within 0.8 %, in a thirteenth of the memory: for where there are many.
     *
     * @internal
     */
    public static function coarse(): self
    {
        $histogram = new self;
        $histogram->exact = self::COARSE;
        $histogram->half = self::COARSE >> 1;

        return $histogram;
    }

    /** A negative value counts as 0. */
    public function record(int $micros): void
    {
        // Comparisons and no calls: this runs twice for each request.
        if ($micros < 0) {
            $micros = 0;
        }

        $top = $micros < self::LIMIT ? $micros : self::LIMIT - 1;
        $doublings = 0;

        while ($top >= $this->exact) {
            $top >>= 1;
            $doublings++;
        }

        if ($this->count++ === 0) {
            $this->counts = $this->none();
        }

        $this->counts[$doublings * $this->half + $top]++;
        $this->sum += $micros;

        if ($micros < $this->min) {
            $this->min = $micros;
        }

        if ($micros > $this->max) {
            $this->max = $micros;
        }
    }

    /** Of two that know their values equally well. */
    public function merge(self $other): self
    {
        $merged = clone $this;
        $merged->absorb($other);

        return $merged;
    }

    /** @internal */
    public function absorb(self $other): void
    {
        if ($this->exact !== $other->exact) {
            throw new LogicException('A coarse histogram can be merged with a coarse one only.');
        }

        if ($other->count === 0) {
            return;
        }

        $this->counts = $this->count === 0 ? $this->none() : $this->counts;

        foreach ($other->counts as $i => $count) {
            if ($count > 0) {
                $this->counts[$i] += $count;
            }
        }

        $this->count += $other->count;
        $this->sum += $other->sum;
        $this->min = min($this->min, $other->min);
        $this->max = max($this->max, $other->max);
    }

    public function count(): int
    {
        return $this->count;
    }

    public function min(): ?int
    {
        return $this->count === 0 ? null : $this->min;
    }

    public function max(): ?int
    {
        return $this->count === 0 ? null : $this->max;
    }

    public function mean(): ?float
    {
        return $this->count === 0 ? null : $this->sum / $this->count;
    }

    /**
     * The smallest recorded value that at least so many percent do not exceed (nearest rank).
     *
     * @throws InvalidPercentile
     */
    public function percentile(float $percent): ?int
    {
        if (! ($percent >= 0.0 && $percent <= 100.0)) {
            throw InvalidPercentile::outOfRange($percent);
        }

        if ($this->count === 0) {
            return null;
        }

        // 99.9 percent of 1000 must be rank 999, not the 1000 that a float's last bit would make of it.
        $rank = max(1, (int) ceil(round($percent * $this->count / 100.0, 6)));
        $seen = 0;

        foreach ($this->counts as $i => $count) {
            $seen += $count;

            if ($seen >= $rank) {
                return max($this->min, min($this->max, $this->middle($i)));
            }
        }

        return $this->max;
    }

    /**
     * Values with how often they were recorded, the smallest first.
     *
     * @internal
     *
     * @return Generator<int, int>
     */
    public function recorded(): Generator
    {
        foreach ($this->counts as $i => $count) {
            if ($count > 0) {
                yield max($this->min, min($this->max, $this->middle($i))) => $count;
            }
        }
    }

    /**
     * @return array{
     *     count: int,
     *     min: ?int,
     *     mean: ?float,
     *     p50: ?int,
     *     p90: ?int,
     *     p95: ?int,
     *     p99: ?int,
     *     p99_9: ?int,
     *     max: ?int,
     * } microseconds
     */
    public function toArray(): array
    {
        $mean = $this->mean();

        return [
            'count' => $this->count,
            'min' => $this->min(),
            'mean' => $mean === null ? null : round($mean, 1),
            'p50' => $this->percentile(50),
            'p90' => $this->percentile(90),
            'p95' => $this->percentile(95),
            'p99' => $this->percentile(99),
            'p99_9' => $this->percentile(99.9),
            'max' => $this->max(),
        ];
    }

    /**
     * Only the counters that are not 0: from one process to another there is a histogram for each part of the time.
     *
     * @internal
     *
     * @return array{int, array<int, int>, int, int, int, int} as ofState() takes them
     */
    public function state(): array
    {
        return [
            $this->exact,
            array_filter($this->counts, static fn (int $count): bool => $count > 0),
            $this->count,
            $this->sum,
            $this->min,
            $this->max,
        ];
    }

    /**
     * @internal
     *
     * @param array<int, int> $counts
     */
    public static function ofState(int $exact, array $counts, int $count, int $sum, int $min, int $max): self
    {
        $histogram = $exact === self::COARSE ? self::coarse() : new self;
        [$histogram->count, $histogram->sum, $histogram->min, $histogram->max] = [$count, $sum, $min, $max];
        $histogram->counts = $count === 0 ? [] : array_replace($histogram->none(), $counts);

        return $histogram;
    }

    /** @return array<int, int> */
    private function none(): array
    {
        $doublings = 0;

        while ($this->exact << $doublings < self::LIMIT) {
            $doublings++;
        }

        return array_fill(0, $this->exact + $doublings * $this->half, 0);
    }

    private function middle(int $index): int
    {
        if ($index < $this->exact) {
            return $index;
        }

        $doublings = intdiv($index, $this->half) - 1;
        $top = $index - $doublings * $this->half;

        return ($top << $doublings) + (1 << ($doublings - 1));
    }
}
