<?php

declare(strict_types=1);

namespace Headroom\Spool\Store;

use Closure;
use Headroom\Spool\UnableToAppend;

/**
 * Appends to a bucket. It is separate from Store, so that a request loads no more code than it needs.
 *
 * @internal
 */
interface Writer
{
    /**
     * Any number of processes can append at once. Returns when the frame is durable.
     *
     * @param string $payload one line of JSON per event, joined by "\n"
     * @param int<1, 65535> $count events in it
     *
     * @throws UnableToAppend not accepted; if its reason is AppendFailure::Uncertain, the events may still be delivered
     */
    public function append(string $payload, int $count): void;

    /**
     * Lets the writer keep its active segment open, from the second append on.
     *
     * @param ?Closure(): void $whenOpened called each time the writer begins to keep a segment open
     */
    public function keepSegmentOpen(?Closure $whenOpened = null): void;

    public function closeSegment(): void;
}
