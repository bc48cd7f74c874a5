<?php

declare(strict_types=1);

namespace Headroom\Sink;

use Closure;

/**
 * A sink that can store events that were never in the log, because the buffer could not take them.
 *
 * A plain sink does not need it: deliver() is enough. A sink that keeps a cursor must not move the cursor for such
 * events, and a sink that joins its caller's transaction learns their outcome only when that transaction ends.
 */
interface SupportsDirectWrite
{
    /**
     * Stores all events or none. No cursor moves, and the call is not retried.
     *
     * @param Delivery $delivery made by Delivery::direct(): its range has no meaning
     * @param Closure(bool): void $settled called once, when the outcome is known: true if the events are stored for
     *     good, false if the caller's transaction was rolled back together with them. The closure does not throw
     *
     * @throws UnableToDeliver nothing was stored, and the caller's transaction is unchanged. Any other exception
     * reaches the caller as it is, because the database has ended the caller's transaction
     */
    public function deliverDirectly(Delivery $delivery, Closure $settled): void;
}
