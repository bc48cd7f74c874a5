<?php

declare(strict_types=1);

namespace Headroom\Spool\Delivery;

use Closure;
use Headroom\Core\HeadroomException;
use Headroom\Core\Position;
use Headroom\Sink\Delivery;
use Headroom\Sink\Progress;

/**
 * Hands ranges of one log to one sink and keeps the cursor where that kind of sink wants it.
 *
 * @internal
 */
interface DeliveryStrategy
{
    /**
     * Where to begin. To be asked again after CursorMoved.
     *
     * @throws HeadroomException
     */
    public function begin(): Progress;

    /** The end of a range that was begun before and must be handed over unchanged first. */
    public function begun(): ?Position;

    /**
     * @param ?Closure(): ?Delivery $next what is handed over right behind it, asked once this has arrived
     * @return int<0, max> of the batch's records, how many are dead letters now; the others have arrived
     *
     * @throws HeadroomException
     */
    public function deliver(Delivery $delivery, ?Closure $next = null): int;
}
