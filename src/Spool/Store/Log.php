<?php

declare(strict_types=1);

namespace Headroom\Spool\Store;

use Headroom\Core\Position;
use Headroom\Spool\UnableToFlush;

/**
 * A bucket's events in the order in which they were appended.
 *
 * @internal
 */
interface Log extends Lineage
{
    /**
     * Fixes the end of the log: read() returns all entries appended before this call, and none appended later. A second
     * call does nothing.
     *
     * @throws UnableToFlush
     */
    public function seal(): void;

    /**
     * Returns the entries from the position to the end that seal() fixed, in ascending order.
     *
     * @return iterable<LogEntries|MissingRange>
     *
     * @throws UnableToFlush
     */
    public function read(Position $from): iterable;
}
