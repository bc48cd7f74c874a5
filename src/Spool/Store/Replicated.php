<?php

declare(strict_types=1);

namespace Headroom\Spool\Store;

use Headroom\Core\Position;
use Headroom\Sink\Progress;
use Headroom\Spool\UnableToFlush;

/**
 * A log on a server whose replica may take over without the newest part of the log.
 *
 * @internal
 */
interface Replicated
{
    /**
     * Called before a range is handed to the sink. When it returns, a replica that takes over has the whole range, and
     * gives no position in it to another event.
     *
     * @throws UnableToFlush when the replicas do not have the range yet
     */
    public function secure(Position $to): void;

    /**
     * Accepts a ledger that is ahead of this log, because the server that had the rest of the log is gone. Events that
     * may have been delivered become dead letters.
     *
     * @return bool false when the log has another reason to be behind the ledger
     *
     * @throws UnableToFlush
     */
    public function yieldTo(Progress $ledger): bool;

    /**
     * Whether an event ends at this position. In a log that was restored from an older copy and has continued, none
     * does.
     *
     * @throws UnableToFlush
     */
    public function isEntry(Position $place): bool;
}
