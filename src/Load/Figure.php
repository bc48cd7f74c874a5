<?php

declare(strict_types=1);

namespace Headroom\Load;

/**
 * What two runs are compared by, the most telling first.
 */
enum Figure: string
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

    /** Whether a run is worse for it. A handful of requests make the last two, so they are told and decide nothing. */
    public function decides(): bool
    {
        return $this !== self::P999 && $this !== self::Max;
    }

    /** The figure of the timeline's slots that shows how much this one varies. */
    public function ofSlots(): self
    {
        return $this === self::P999 ? self::P99 : $this;
    }
}
