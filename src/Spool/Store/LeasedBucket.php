<?php

declare(strict_types=1);

namespace Headroom\Spool\Store;

use Headroom\Sink\Source;

/**
 * The bucket that a lease is for.
 *
 * @internal
 */
interface LeasedBucket
{
    public function source(): Source;

    public function letters(): DeadLetterStore;

    /** Whether the sink's copy of an event has to be on disk before the log may give up its own. */
    public function isSynced(): bool;
}
