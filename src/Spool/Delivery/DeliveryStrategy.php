<?php

declare(strict_types=1);

namespace Headroom\Spool\Delivery;

use Closure;
use Headroom\Core\HeadroomException;
use Headroom\Core\Position;
use Headroom\Sink\Delivery;
use Headroom\Sink\Progress;

/**
 * Sends ranges of one log to one sink, and keeps the cursor in the place that this kind of sink needs.
 *
 * @internal
 */
interface DeliveryStrategy
{
    /**
     * Returns the position to begin at. Must be called again after CursorMoved.
     *
     * @throws HeadroomException
     */
    public function begin(): Progress;

    /** Returns the end of a range that was sent before and must first be sent again unchanged. */
    public function resendUntil(): ?Position;

    /**
     * @param ?Closure(): ?Delivery $next returns the delivery that follows; called once this one has arrived
     * @return int<0, max> number of records that became dead letters; the others have arrived
     *
     * @throws HeadroomException
     */
    public function deliver(Delivery $delivery, ?Closure $next = null): int;
}
