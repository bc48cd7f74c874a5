<?php

declare(strict_types=1);

namespace Headroom\Load\Compare;

/**
 * The metrics of a comparison, the most important first.
 */
enum ComparedMetric: string
{
    case ErrorRate = 'error_rate';
    case RequestsPerSecond = 'requests_per_second';
    case Mean = 'mean';
    case P50 = 'p50';
    case P90 = 'p90';
    case P95 = 'p95';
    case P99 = 'p99';
    case P999 = 'p99_9';
    case Max = 'max';

    public function isTime(): bool
    {
        return $this !== self::ErrorRate && $this !== self::RequestsPerSecond;
    }

    /** Whether the metric can make a run worse. The last two come from a handful of requests and are only printed. */
    public function decides(): bool
    {
        return $this !== self::P999 && $this !== self::Max;
    }

    /** The metric of the intervals of the timeline that shows the variance of this one. */
    public function ofIntervals(): self
    {
        return $this === self::P999 ? self::P99 : $this;
    }
}
