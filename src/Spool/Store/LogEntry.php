<?php

declare(strict_types=1);

namespace Headroom\Spool\Store;

use Headroom\Core\Position;

/**
 * One entry of the log: the events of one append.
 *
 * @internal
 */
final readonly class LogEntry
{
    /**
     * @param Position $position of its first event
     * @param Position $end the position after its last event
     * @param int<1, 65535> $count
     * @param int $acceptedAt microseconds since the Unix epoch
     * @param string $payload one line per event, joined by "\n"
     */
    public function __construct(
        public Position $position,
        public Position $end,
        public int $count,
        public int $acceptedAt,
        public string $payload,
    ) {}
}
