<?php

declare(strict_types=1);

namespace Headroom\Sink;

/**
 * The destination of a bucket's events.
 *
 * Deliveries of one bucket arrive one at a time, in the order of the log. Each may come from another process, so a sink
 * keeps no state in memory that the next delivery needs. The flusher sends a range again, with the same ids, if it
 * cannot know whether the range arrived: a plain sink gets events at least once.
 */
interface Sink
{
    /**
     * Returns when the whole batch has arrived. The batch is never empty, except for an ExactlyOnce sink.
     *
     * @throws UnableToDeliver the batch may not have arrived; the flusher sends the same range again
     * @throws CursorMoved only from an ExactlyOnce sink: its ledger is not at the start of the range, and nothing
     * arrived
     */
    public function deliver(Delivery $delivery): void;
}
