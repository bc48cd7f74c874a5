<?php

declare(strict_types=1);

namespace Headroom\Spool\Store;

use Headroom\Core\Position;
use Headroom\Spool\UnableToFlush;

/**
 * A claimed bucket's log. Every scheduled flush is a process of its own, so what is to outlive it is saved.
 *
 * @internal
 */
interface Log extends Lineage
{
    /**
     * Everything from the position to the end, in order; positions only grow. The log does not change under it: what
     * is appended after the first call belongs to the next claim.
     *
     * @return iterable<LogEntries|MissingRange>
     *
     * @throws UnableToFlush
     */
    public function read(Position $from): iterable;

    /** What the last flusher saved. */
    public function state(): DeliveryState;

    /**
     * Needs no free disk. After a crash either this state or the one before is there, whole.
     *
     * @throws UnableToFlush
     */
    public function save(DeliveryState $state): void;
}
