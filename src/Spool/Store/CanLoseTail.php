<?php

declare(strict_types=1);

namespace Headroom\Spool\Store;

use Headroom\Spool\UnableToFlush;

/**
 * A log on a server that may lose the newest events of the log.
 *
 * @internal
 */
interface CanLoseTail
{
    /**
     * Returns the losses since the log was last compared with the ledger, and the events that became dead letters
     * because of them. The caller reports them.
     *
     * @return list<MissingRange>
     *
     * @throws UnableToFlush
     */
    public function losses(): array;
}
