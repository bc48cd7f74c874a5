<?php

declare(strict_types=1);

namespace Headroom\Sink;

use Closure;

/**
 * A factory for an application in which a sink, or what it calls, may leave something open that should have been closed,
 * such as a transaction: what was done in it would be gone with the process, and counted as delivered.
 *
 * @internal
 */
interface DetectsOpenTransactions extends SinkFactory
{
    /**
     * Asked right before a sink is handed events.
     *
     * @return Closure(): ?string undoes what was left open since, and names the database connection; null when nothing was
     */
    public function watch(): Closure;
}
