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

    /** Whether the sink must sync an event to disk before the log may remove its own copy. */
    public function isSynced(): bool;
}
