<?php

declare(strict_types=1);

namespace Headroom\Spool\Worker;

use Headroom\Core\Clock;
use Headroom\Spool\Delivery\FlushReport;

/**
 * Buckets whose rate limit lets no event pass for now. They are not flushed, because each flush would seal a segment
 * with the events of one second.
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
        if ($report->nextTokenAt !== null) {
            $this->until[$report->bucket] = $this->clock->monotonicNanos()
                + 1000 * max(0, $report->nextTokenAt - $this->clock->micros());
        } else {
            unset($this->until[$report->bucket]);
        }
    }

    /** @phpstan-impure */
    public function isWaiting(string $bucket): bool
    {
        if (isset($this->until[$bucket]) && $this->clock->monotonicNanos() >= $this->until[$bucket]) {
            unset($this->until[$bucket]);
        }

        return isset($this->until[$bucket]);
    }

    /**
     * Whether all of these buckets wait for their rate limit. They will be delivered, so a worker with
     * --stop-when-empty waits.
     *
     * @param list<string> $buckets
     */
    public function areAll(array $buckets): bool
    {
        return array_diff($buckets, array_keys($this->until)) === [];
    }

    /**
     * Returns the time until the first rate limit lets an event pass; 0 when one of the buckets does not wait.
     *
     * @param list<string> $buckets
     */
    public function waitMicros(array $buckets): int
    {
        return $this->until === [] || count($this->until) < count($buckets)
            ? 0
            : intdiv(max(0, min($this->until) - $this->clock->monotonicNanos()), 1000) + 1;
    }
}
