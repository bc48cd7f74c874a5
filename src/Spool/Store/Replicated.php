<?php

declare(strict_types=1);

namespace Headroom\Spool\Store;

use Headroom\Core\Position;
use Headroom\Sink\Progress;
use Headroom\Spool\UnableToFlush;

/**
 * A log whose newest part another machine may not have yet when it takes over.
 *
 * @internal
 */
interface Replicated
{
    /**
     * Called before a range is handed to the sink: when it returns, whoever takes over has all of it, and gives no place
     * in it to another event.
     *
     * @throws UnableToFlush it can not be had for now
     */
    public function secure(Position $to): void;

    /**
     * The ledger knows of more than this log holds, because the machine that had it is gone. What may have been delivered
     * is set aside.
     *
     * @return bool false when that is not the reason
     *
     * @throws UnableToFlush
     */
    public function yieldTo(Progress $ledger): bool;

    /**
     * Whether an event ends there. In a log that was restored from an older copy, and goes on, none does.
     *
     * @throws UnableToFlush
     */
    public function isPlace(Position $place): bool;
}
