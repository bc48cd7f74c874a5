<?php

declare(strict_types=1);

namespace Headroom\Sink;

/**
 * A sink that keeps the log's cursor itself, in a ledger, and moves it in the same transaction as the records.
 *
 * deliver() then arrives once or not at all: it compares the ledger with the range's beginning, and whoever comes second
 * gets CursorMoved, be it a flusher that was stopped for an hour or a retry after a lost reply.
 */
interface ExactlyOnce extends Sink
{
    /**
     * Null when the ledger does not know the source.
     *
     * @throws UnableToDeliver
     */
    public function progress(Source $source): ?Progress;

    /**
     * Makes the source known, at the start of its log. Does nothing where it is known already.
     *
     * @throws UnableToDeliver
     */
    public function register(Source $source): void;

    /**
     * All of it and the ledger's step, or neither.
     *
     * @throws CursorMoved the ledger is not at the range's beginning
     * @throws UnableToDeliver
     */
    public function deliver(Delivery $delivery): void;
}
