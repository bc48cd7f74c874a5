<?php

declare(strict_types=1);

namespace Headroom\Sink;

/**
 * A sink that stores the log's cursor itself, in a ledger, and moves it in the transaction that stores the records.
 *
 * deliver() compares the ledger with the start of the range. A flusher that was suspended for an hour, or that retries
 * after a lost reply, therefore gets CursorMoved and stores nothing twice. The batch is empty if the range holds only
 * dead letters: then only the ledger moves.
 */
interface ExactlyOnce extends Sink
{
    /**
     * @return ?Progress null if the ledger does not know the source
     *
     * @throws UnableToDeliver
     */
    public function progress(Source $source): ?Progress;

    /**
     * Adds the source to the ledger, at the start of its log. Does nothing if the ledger already knows the source.
     *
     * @throws UnableToDeliver
     */
    public function register(Source $source): void;

    /**
     * Moves the ledger of a known source to another position, at an operator's request.
     *
     * @throws CursorMoved the ledger is not at $from
     * @throws UnableToDeliver
     */
    public function move(Source $source, Progress $from, Progress $to): void;
}
