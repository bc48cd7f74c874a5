<?php

declare(strict_types=1);

namespace Headroom\Sink;

use Closure;

/**
 * A sink that can take events that never were in the log, because the buffer could not take them.
 *
 * A plain sink needs nothing for that: deliver() does it. One that keeps a cursor must not move it for them, and one that
 * shares a transaction with its caller does not know yet what becomes of them.
 */
interface SupportsDirectWrite
{
    /**
     * All of it or nothing, and no cursor moves.
     *
     * @param Delivery $delivery a Delivery::direct(): its range means nothing
     * @param Closure(bool): void $settled called once when it is known: true, they are there for good; false, the caller's transaction was undone and they with it. It does not throw
     *
     * @throws UnableToDeliver nothing has arrived, and the caller's transaction is as it was; whatever else is thrown reaches the caller as it is, since its transaction is gone
     */
    public function deliverDirectly(Delivery $delivery, Closure $settled): void;
}
