<?php

declare(strict_types=1);

namespace Headroom\Spool\Flush;

use Headroom\Core\HeadroomException;
use Headroom\Core\Position;
use Headroom\Sink\Delivery;
use Headroom\Sink\Progress;

/**
 * Hands ranges of one log to one sink and keeps the cursor where that kind of sink wants it.
 *
 * @internal
 */
interface Courier
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
     * @return Progress after it
     *
     * @throws HeadroomException
     */
    public function deliver(Delivery $delivery): Progress;
}
