<?php

declare(strict_types=1);

namespace Headroom\Spool\Monitoring;

use Headroom\Sink\Progress;
use Headroom\Spool\Store\StateRecord;

/**
 * What lies in one bucket.
 *
 * @internal
 */
final readonly class Inspection
{
    /**
     * @param int $accepted events sealed, by the running total, and events in active slots, counted
     * @param int $pending counted, never derived
     * @param ?int $oldestAcceptedAt of what is pending, microseconds since the Unix epoch
     * @param int $bytes of files that hold pending events
     * @param int $damaged places that could not be read; their bytes are in quarantine
     * @param int $dead refused by the sink, those left out that are in the log again
     * @param int $letters of dead events
     * @param StateRecord $record what the last flusher left
     * @param list<string> $unreadable files and directories this user may not read, so that the numbers are too small
     * @param bool $isForked the ledger knows a log that went another way
     * @param bool $isExact false when it moved too fast, so that the numbers are not of one moment
     */
    public function __construct(
        public int $accepted,
        public Progress $progress,
        public int $pending,
        public ?int $oldestAcceptedAt,
        public int $bytes,
        public int $damaged,
        public int $dead,
        public int $letters,
        public StateRecord $record,
        public array $unreadable,
        public bool $isForked,
        public bool $isExact = true,
    ) {}
}
