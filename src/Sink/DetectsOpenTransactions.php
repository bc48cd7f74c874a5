<?php

declare(strict_types=1);

namespace Headroom\Sink;

use Closure;

/**
 * A factory that detects transactions that a sink, or a handler that the sink calls, has left open. The database rolls
 * an open transaction back when the process ends, but its events count as delivered.
 *
 * @internal
 */
interface DetectsOpenTransactions extends SinkFactory
{
    /**
     * Call it right before each delivery.
     *
     * @return Closure(): ?string rolls back a transaction that was opened since and returns the name of its connection;
     *     null if none was opened
     */
    public function watch(): Closure;
}
