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
     * Fixes the end of the log: read() comes to everything that was appended until now, and to nothing that is appended
     * later. The second call does nothing.
     *
     * @throws UnableToFlush
     */
    public function seal(): void;

    /**
     * Everything from the position to the end that seal() fixed, in order; positions only grow.
     *
     * @return iterable<LogEntries|MissingRange>
     *
     * @throws UnableToFlush
     */
    public function read(Position $from): iterable;
}
