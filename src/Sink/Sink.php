<?php

declare(strict_types=1);

namespace Headroom\Sink;

/**
 * Where the events of a bucket go.
 *
 * Deliveries of one bucket come one at a time, in the order of the log, from whichever process flushes just then; a
 * sink keeps nothing in memory that the next process would miss. A plain sink is handed a range again when it could not
 * be known whether it had arrived: at least once, with stable ids.
 */
interface Sink
{
    /**
     * Returns when the whole batch has arrived. A batch is never empty.
     *
     * @throws UnableToDeliver nothing is known to have arrived; the same range comes again
     * @throws CursorMoved only an ExactlyOnce sink: its ledger is not at the range's beginning, and nothing arrived
     */
    public function deliver(Delivery $delivery): void;
}
