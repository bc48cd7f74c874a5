<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Chart;

/**
 * Where a value stands between the two ends of an axis, and which values are written beside it.
 */
final readonly class Axis
{
    /** A small value beside one that is more than this many times as large can not be told from 0 on a linear axis. */
    private const LINEAR = 100;

    /** @param non-empty-list<float> $ticks */
    private function __construct(private float $from, private float $to, public array $ticks, public bool $isLogarithmic) {}

    /**
     * Linear, or logarithmic where the values differ too much for that.
     *
     * @param list<float> $values
     * @throws InvalidChart
     */
    public static function fitting(array $values): self
    {
        $positive = array_filter(self::checked($values), static fn (float $value): bool => $value > 0);

        return $positive !== [] && max($positive) > self::LINEAR * min($positive) ? self::logarithmic(min($positive), max($positive)) : self::linear($values);
    }

    /**
     * From 0 to a round number.
     *
     * @param list<float> $values
     * @throws InvalidChart
     */
    public static function linear(array $values): self
    {
        $largest = max([0.0, ...self::checked($values)]) ?: 1.0;
        $step = self::step($largest);
        $to = ceil(round($largest / $step, 9)) * $step;

        return new self(0.0, $to, self::ticks($to, $step), false);
    }

    /**
     * From 0 to exactly there.
     *
     * @throws InvalidChart
     */
    public static function upTo(float $end): self
    {
        $end = self::checked([$end])[0] ?: 1.0;

        return new self(0.0, $end, self::ticks($end, self::step($end)), false);
    }

    /**
     * Linear, between round numbers on both sides of 0, where values fall short of it or go beyond.
     *
     * @param list<float> $values
     * @throws InvalidChart
     */
    public static function around(array $values): self
    {
        [$least, $most] = [min([0.0, ...self::finite($values)]), max([0.0, ...$values])];
        $most = $most > $least ? $most : 1.0;
        $step = self::step($most - $least);
        [$first, $last] = [(int) floor(round($least / $step, 9)), (int) ceil(round($most / $step, 9))];

        return new self($first * $step, $last * $step, array_map(static fn (int $n): float => round($n * $step, 9), range($first, $last)), false);
    }

    /** From 0 to 1; on a logarithmic axis what is smaller than its beginning is at 0. */
    public function position(float $value): float
    {
        [$value] = $this->from < 0 ? self::finite([$value]) : self::checked([$value]);

        return $this->isLogarithmic
            ? max(0.0, (log10(max($value, $this->from)) - log10($this->from)) / (log10($this->to) - log10($this->from)))
            : ($value - $this->from) / ($this->to - $this->from);
    }

    private static function logarithmic(float $smallest, float $largest): self
    {
        [$low, $high] = [(int) floor(log10($smallest)), (int) ceil(log10($largest))];

        return new self(10.0 ** $low, 10.0 ** $high, array_map(static fn (int $power): float => 10.0 ** $power, range($low, $high)), true);
    }

    /** 1, 2 or 5 and zeros, such that there are at most five of them. */
    private static function step(float $largest): float
    {
        $power = 10.0 ** floor(log10($largest / 5));

        foreach ([1, 2, 5] as $digit) {
            if ($digit * $power * 5 >= $largest) {
                return $digit * $power;
            }
        }

        return 10 * $power;
    }

    /** @return non-empty-list<float> */
    private static function ticks(float $end, float $step): array
    {
        return array_map(static fn (int $n): float => round($n * $step, 9), range(0, (int) floor(round($end / $step, 9))));
    }

    /**
     * @param list<float> $values
     * @return list<float>
     * @throws InvalidChart
     */
    private static function checked(array $values): array
    {
        foreach (self::finite($values) as $value) {
            $value >= 0 || throw InvalidChart::value($value);
        }

        return $values;
    }

    /**
     * @param list<float> $values
     * @return list<float>
     * @throws InvalidChart
     */
    private static function finite(array $values): array
    {
        foreach ($values as $value) {
            is_finite($value) || throw InvalidChart::value($value);
        }

        return $values;
    }
}
