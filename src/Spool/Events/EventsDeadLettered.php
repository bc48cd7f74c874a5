<?php

declare(strict_types=1);

namespace Headroom\Spool\Events;

/**
 * A flush has made dead letters of events that the sink refused. Dispatched once per flush of a bucket, after the
 * process has released the bucket.
 */
final readonly class EventsDeadLettered
{
    /**
     * @param int<1, max> $count dead letters of this flush; spool:failed lists them
     * @param string $firstReason why the first of them was refused; one line of at most 4096 bytes
     */
    public function __construct(
        public string $bucket,
        public int $count,
        public string $firstReason,
    ) {}
}
