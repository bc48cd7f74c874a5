<?php

declare(strict_types=1);

namespace Headroom\Spool\Worker;

use Headroom\Core\Clock;
use Headroom\Spool\Delivery\FlushReport;

/**
 * Buckets whose rate lets nothing go for now. To look at one each second would make a segment of each second's events.
 *
 * @internal
 */
final class RateLimitedBuckets
{
    /** @var array<string, int> by bucket: nanoseconds */
    private array $until = [];

    public function __construct(private readonly Clock $clock) {}

    public function note(FlushReport $report): void
    {
        if ($report->goesOnAt !== null) {
            $this->until[$report->bucket] = $this->clock->monotonicNanos()
                + 1000 * max(0, $report->goesOnAt - $this->clock->micros());
        } else {
            unset($this->until[$report->bucket]);
        }
    }

    /** @phpstan-impure */
    public function rests(string $bucket): bool
    {
        if (isset($this->until[$bucket]) && $this->clock->monotonicNanos() >= $this->until[$bucket]) {
            unset($this->until[$bucket]);
        }

        return isset($this->until[$bucket]);
    }

    /**
     * They are not stuck: they will be delivered, and somebody has asked for that.
     *
     * @param list<string> $buckets
     */
    public function areAll(array $buckets): bool
    {
        return array_diff($buckets, array_keys($this->until)) === [];
    }

    /**
     * Until the first of them goes on; 0 while one of the buckets does not rest.
     *
     * @param list<string> $buckets
     */
    public function micros(array $buckets): int
    {
        return $this->until === [] || count($this->until) < count($buckets)
            ? 0
            : intdiv(max(0, min($this->until) - $this->clock->monotonicNanos()), 1000) + 1;
    }
}
