<?php

declare(strict_types=1);

namespace Headroom\Spool\Store;

use Headroom\Core\Position;
use Headroom\Spool\UnableToFlush;

/**
 * The right to flush a bucket, and with it the bucket's log and cursor. It ends with the process.
 *
 * @internal
 */
interface ConsumerLease extends LeasedBucket, Log
{
    /** The state that the last flusher saved. */
    public function state(): DeliveryState;

    /**
     * Needs no free disk. After a crash either this state or the one before is there, whole.
     *
     * @throws UnableToFlush
     */
    public function save(DeliveryState $state): void;

    /**
     * Lets the bucket go.
     *
     * @param Position $delivered everything before it may be retired now and removed later
     *
     * @throws UnableToFlush
     */
    public function close(Position $delivered): void;
}
