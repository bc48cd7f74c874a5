<?php

declare(strict_types=1);

namespace Headroom\Spool\Events;

/**
 * A sink has taken a batch, and the cursor behind it is saved. Dispatched once per batch, while the process still holds
 * the bucket: the next batch waits until the listener returns.
 */
final readonly class BatchFlushed
{
    /**
     * @param int<1, max> $events events that the sink took, without dead letters
     * @param string $from position of the first event, as spool:peek shows it
     * @param string $to position after the last event; the new cursor
     * @param float $seconds that the sink and saving the cursor took
     */
    public function __construct(
        public string $bucket,
        public int $events,
        public string $from,
        public string $to,
        public float $seconds,
    ) {}
}
