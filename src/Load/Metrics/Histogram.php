<?php

declare(strict_types=1);

namespace Headroom\Load\Metrics;

use LogicException;

/**
 * Counts durations in microseconds. The width of a counter grows with the value, so each value is known within 0.05 %
 * in fixed memory, as in http://hdrhistogram.org with three significant digits.
 */
final class Histogram
{
    private const FINE = 2_048;

    private const COARSE = 128;

    /** 71 minutes. Longer durations share the last counter; minimum, maximum and mean stay exact. */
    private const LIMIT = 2 ** 32;

    /** Each value below this has a counter of its own; each doubling above shares half as many counters. */
    private int $exact = self::FINE;

    private int $half = self::FINE >> 1;

    /** @var array<int, int> empty before the first value, because many intervals of a run have none */
    private array $counts = [];

    private int $count = 0;

    private int $sum = 0;

    private int $min = PHP_INT_MAX;

    private int $max = 0;

    /**
     * Each value within 0.8 %, in a thirteenth of the memory: a run has hundreds of these.
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
        // Comparisons instead of function calls: this runs twice for each request.
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
            $this->counts = $this->zeros();
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

    /** A new histogram with the values of both, which must have the same precision. */
    public function with(self $other): self
    {
        $merged = clone $this;
        $merged->merge($other);

        return $merged;
    }

    /** @internal */
    public function merge(self $other): void
    {
        if ($this->exact !== $other->exact) {
            throw new LogicException('A coarse histogram can be merged with a coarse one only.');
        }

        if ($other->count === 0) {
            return;
        }

        $this->counts = $this->count === 0 ? $this->zeros() : $this->counts;

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
     * The smallest recorded value that at least this many percent of the values do not exceed (nearest rank).
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

        // 99.9 percent of 1000 must be rank 999. Without rounding, the last bit of the float makes it 1000.
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
     * Only the counters that are not 0: each process sends a histogram for every interval of the run.
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
        $histogram->counts = $count === 0 ? [] : array_replace($histogram->zeros(), $counts);

        return $histogram;
    }

    /** @return array<int, int> */
    private function zeros(): array
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
