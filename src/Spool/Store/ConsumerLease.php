<?php

declare(strict_types=1);

namespace Headroom\Spool\Store;

use Headroom\Core\Position;
use Headroom\Spool\Store\State\DeliveryState;
use Headroom\Spool\UnableToFlush;

/**
 * The right to flush a bucket, and with it the bucket's log and cursor. It ends with the process.
 *
 * @internal
 */
interface ConsumerLease extends LeasedBucket, Log
{
    /** The state that the last flush saved. */
    public function state(): DeliveryState;

    /**
     * Needs no free disk space. After a crash, either this state or the previous one is complete.
     *
     * @throws UnableToFlush
     */
    public function save(DeliveryState $state): void;

    /**
     * Releases the bucket.
     *
     * @param Position $delivered segments before it may be retired now and removed later
     *
     * @throws UnableToFlush
     */
    public function close(Position $delivered): void;
}
