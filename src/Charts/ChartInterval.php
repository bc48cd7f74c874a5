<?php

declare(strict_types=1);

namespace Headroom\Charts;

/**
 * The time between two points of a chart, in steps that people use.
 *
 * @internal
 */
final readonly class ChartInterval
{
    public const MAX_BUCKETS = 200;

    /** Seconds. */
    private const STEPS = [
        1, 5, 10, 30, 60, 300, 600, 1_800, 3_600, 10_800, 21_600, 43_200, 86_400, 604_800, 2_592_000,
    ];

    private function __construct(public int $seconds) {}

    /** The shortest interval with at most 200 points. */
    public static function for(int $seconds): self
    {
        foreach (self::STEPS as $step) {
            if (self::buckets($seconds, $step) <= self::MAX_BUCKETS) {
                return new self($step);
            }
        }

        return new self(self::STEPS[count(self::STEPS) - 1]);
    }

    /** @throws InvalidChartQuery */
    public static function of(int $seconds, int $step): self
    {
        $buckets = self::buckets($seconds, $step);

        return $buckets <= self::MAX_BUCKETS
            ? new self($step)
            : throw InvalidChartQuery::tooManyBuckets($step, $buckets, self::MAX_BUCKETS, self::for($seconds)->seconds);
    }

    /** One interval is added, because the range usually begins in the middle of an interval. */
    private static function buckets(int $seconds, int $step): int
    {
        return intdiv($seconds + $step - 1, $step) + 1;
    }
}
