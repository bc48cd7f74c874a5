<?php

declare(strict_types=1);

namespace Headroom\Spool\Monitoring;

use Headroom\Spool\EventCounts;

/**
 * One bucket's log, on this machine's disk or in Redis.
 *
 * @internal
 */
final readonly class Inspection
{
    /**
     * @param EventCounts $events pending is counted, never derived
     * @param ?int $oldestAcceptedAt of pending events, microseconds since the Unix epoch
     * @param int $bytes of pending events, or of files that hold them
     * @param int $letters of dead events
     * @param FlushHistory $history what the last flushers left
     * @param list<string> $unreadable files and directories this user may not read, so the numbers are too small
     * @param bool $isForked the ledger knows a log that went another way
     * @param bool $isExact false when it moved too fast, so that the numbers are not of one moment
     */
    public function __construct(
        public EventCounts $events,
        public ?int $oldestAcceptedAt,
        public int $bytes,
        public int $letters,
        public FlushHistory $history,
        public array $unreadable = [],
        public bool $isForked = false,
        public bool $isExact = true,
    ) {}

    public function oldestSeconds(int $now): ?float
    {
        return $this->oldestAcceptedAt === null ? null : max(0.0, ($now - $this->oldestAcceptedAt) / 1_000_000);
    }
}
