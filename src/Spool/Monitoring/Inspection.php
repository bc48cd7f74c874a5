<?php

declare(strict_types=1);

namespace Headroom\Spool\Monitoring;

use Headroom\Spool\Status\EventCounts;

/**
 * The numbers of one bucket's log, on this machine's disk or in Redis.
 *
 * @internal
 */
final readonly class Inspection
{
    /**
     * @param EventCounts $events pending is counted, never derived
     * @param ?int $oldestAcceptedAt time of the oldest pending event, microseconds since the Unix epoch
     * @param int $bytes bytes of pending events, or of files with pending events
     * @param int $letters number of dead letters
     * @param FlushHistory $history from the state that flushes saved
     * @param list<string> $unreadable files and directories that this user cannot read, so the numbers are too small
     * @param bool $isForked the ledger belongs to a diverged copy of the log
     * @param bool $isExact false when the log changed too fast for numbers of one moment
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
