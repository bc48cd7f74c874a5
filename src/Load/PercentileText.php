<?php

declare(strict_types=1);

namespace Headroom\Load;

/**
 * A histogram as HdrHistogram's tools print it (.hgrm): milliseconds by percentile, with ever more percentiles towards
 * the slowest. http://hdrhistogram.github.io/HdrHistogram/plotFiles.html draws it.
 */
final readonly class PercentileText
{
    /** Percentiles for each halving of what is left above. */
    private const TICKS = 5;

    public static function of(Histogram $histogram): string
    {
        $text = sprintf("%12s %14s %10s %14s\n\n", 'Value', 'Percentile', 'TotalCount', '1/(1-Percentile)');

        foreach (self::levels($histogram) as [$level, $micros, $count]) {
            $text .= $level < 1.0
                ? sprintf("%12.3f %.12f %10d %14.2f\n", $micros / 1_000, $level, $count, 1 / (1 - $level))
                : sprintf("%12.3f %.12f %10d\n", $micros / 1_000, $level, $count);
        }

        $mean = $histogram->mean() ?? 0.0;

        return $text
            .sprintf(
                "#[Mean    = %12.3f, StdDeviation   = %12.3f]\n",
                $mean / 1_000,
                self::deviation($histogram, $mean) / 1_000,
            )
            .sprintf(
                "#[Max     = %12.3f, Total count    = %12d]\n",
                ($histogram->max() ?? 0) / 1_000,
                $histogram->count(),
            )
            .sprintf("#[Buckets = %12d, SubBuckets     = %12d]\n", Histogram::BUCKETS, Histogram::SUB_BUCKETS);
    }

    /** @return list<array{float, int, int}> share, the value that so many do not exceed, how many these are */
    private static function levels(Histogram $histogram): array
    {
        $levels = [];
        $level = 0.0;
        $seen = 0;
        $last = 0;

        foreach ($histogram->recorded() as $micros => $count) {
            $seen += $count;
            $last = $micros;

            while ($seen < $histogram->count() && $seen / $histogram->count() >= $level) {
                $levels[] = [$level, $micros, $seen];
                $halvings = (int) floor(log(1 / (1 - $level), 2)) + 1;
                $level += 1 / (self::TICKS * 2 ** $halvings);
            }
        }

        return $seen === 0 ? [] : [...$levels, [1.0, $last, $seen]];
    }

    private static function deviation(Histogram $histogram, float $mean): float
    {
        $sum = 0.0;

        foreach ($histogram->recorded() as $micros => $count) {
            $sum += $count * ($micros - $mean) ** 2;
        }

        return sqrt($sum / max(1, $histogram->count()));
    }
}
