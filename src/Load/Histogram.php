<?php

declare(strict_types=1);

namespace Headroom\Load;

/**
 * Microseconds in counters whose width grows with the value, so that each value is known to within 0.05 % in fixed
 * memory. After the idea of http://hdrhistogram.org with three significant digits.
 */
final class Histogram
{
    // Values below this have a counter each; every doubling above shares half as many.
    private const EXACT = 2_048;

    private const HALF = 1_024;

    private const DOUBLINGS = 21;

    /** 2^32 µs, 71 minutes. What is longer counts into the last counter; minimum, maximum and mean stay exact. */
    private const LIMIT = self::EXACT << self::DOUBLINGS;

    /** @var array<int, int> */
    private array $counts;

    private int $count = 0;

    private int $sum = 0;

    private int $min = PHP_INT_MAX;

    private int $max = 0;

    public function __construct()
    {
        $this->counts = array_fill(0, self::EXACT + self::DOUBLINGS * self::HALF, 0);
    }

    /** A negative value counts as 0. */
    public function record(int $micros): void
    {
        $micros = max(0, $micros);
        $top = min($micros, self::LIMIT - 1);
        $doublings = 0;

        while ($top >= self::EXACT) {
            $top >>= 1;
            $doublings++;
        }

        $this->counts[$doublings * self::HALF + $top]++;
        $this->count++;
        $this->sum += $micros;
        $this->min = min($this->min, $micros);
        $this->max = max($this->max, $micros);
    }

    public function merge(self $other): self
    {
        $merged = clone $this;

        foreach ($other->counts as $i => $count) {
            $merged->counts[$i] += $count;
        }

        $merged->count += $other->count;
        $merged->sum += $other->sum;
        $merged->min = min($this->min, $other->min);
        $merged->max = max($this->max, $other->max);

        return $merged;
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
                return max($this->min, min($this->max, self::middle($i)));
            }
        }

        return $this->max;
    }

    /** @return array{count: int, min: ?int, mean: ?float, p50: ?int, p90: ?int, p95: ?int, p99: ?int, p99_9: ?int, max: ?int} microseconds */
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

    private static function middle(int $index): int
    {
        if ($index < self::EXACT) {
            return $index;
        }

        $doublings = intdiv($index, self::HALF) - 1;
        $top = $index - $doublings * self::HALF;

        return ($top << $doublings) + (1 << ($doublings - 1));
    }
}
