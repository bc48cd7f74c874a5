<?php

declare(strict_types=1);

namespace Headroom\Sink;

use Closure;

/**
 * A factory that detects what a sink, or a handler that the sink calls, has left open, such as a transaction. The
 * database rolls an open transaction back when the process ends, but its events count as delivered.
 *
 * @internal
 */
interface DetectsOpenTransactions extends SinkFactory
{
    /**
     * Call it right before each delivery.
     *
     * @return Closure(): ?string rolls back what was opened since and returns the name of the connection; null if
     * nothing was
     */
    public function watch(): Closure;
}
