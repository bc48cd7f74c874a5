<?php

declare(strict_types=1);

namespace Headroom\Spool\Store;

use Headroom\Core\Position;
use Headroom\Sink\Progress;

/**
 * Computes a checksum of a log's content. It tells a position in this log from the same position in a diverged copy.
 *
 * @internal
 */
interface Lineage
{
    /**
     * Returns the checksum of the log up to $to, from the checksum at an earlier position; "" when the log keeps none.
     */
    public function checksum(Progress $from, Position $to): string;

    /** Whether all events that were ever between the two positions are still in the log. */
    public function isWhole(Position $from, Position $to): bool;
}
