<?php

declare(strict_types=1);

namespace Headroom\Sink;

/**
 * A sink that keeps the log's cursor itself, in a ledger, and moves it in the same transaction as the records.
 *
 * deliver() then arrives with the ledger's step or not at all: it compares the ledger with the range's beginning, and
 * whoever comes second gets CursorMoved, be it a flusher that was stopped for an hour or a retry after a lost reply.
 * Its batch may be empty when the range holds dead letters only: then just the ledger moves.
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
     * Sets the ledger of a known source to another place, as an operator asked for.
     *
     * @throws CursorMoved the ledger is not at $from
     * @throws UnableToDeliver
     */
    public function move(Source $source, Progress $from, Progress $to): void;
}
