<?php

declare(strict_types=1);

namespace Headroom\Charts;

/**
 * How much time one point of a chart stands for, as people count it.
 *
 * @internal
 */
final readonly class ChartInterval
{
    public const MOST_BUCKETS = 200;

    /** Seconds. */
    private const STEPS = [1, 5, 10, 30, 60, 300, 600, 1_800, 3_600, 10_800, 21_600, 43_200, 86_400, 604_800, 2_592_000];

    private function __construct(public int $seconds) {}

    /** The shortest with which so much time is no more than 200 points. */
    public static function for(int $seconds): self
    {
        foreach (self::STEPS as $step) {
            if (self::buckets($seconds, $step) <= self::MOST_BUCKETS) {
                return new self($step);
            }
        }

        return new self(self::STEPS[count(self::STEPS) - 1]);
    }

    /** @throws InvalidChartQuery */
    public static function of(int $seconds, int $step): self
    {
        $buckets = self::buckets($seconds, $step);

        return $buckets <= self::MOST_BUCKETS ? new self($step) : throw InvalidChartQuery::tooManyBuckets($step, $buckets, self::MOST_BUCKETS, self::for($seconds)->seconds);
    }

    /** One more, as the range mostly begins within one. */
    private static function buckets(int $seconds, int $step): int
    {
        return intdiv($seconds + $step - 1, $step) + 1;
    }
}
