<?php

declare(strict_types=1);

namespace Headroom\Spool\Store;

use Headroom\Core\Position;
use Headroom\Sink\Progress;

/**
 * What a log holds, in short: so that a place in it can be told from the same place in a copy that went another way.
 *
 * @internal
 */
interface Lineage
{
    /** Of what the log holds up to $to, given that of a place before it; "" where the log keeps none. */
    public function checksum(Progress $from, Position $to): string;

    /** Whether all that was ever between the two places is there. */
    public function isWhole(Position $from, Position $to): bool;
}
