<?php

declare(strict_types=1);

namespace Headroom\Spool\Store;

use Headroom\Spool\UnableToFlush;

/**
 * A log on a server that may have lost some of it.
 *
 * @internal
 */
interface CanLoseTail
{
    /**
     * What is gone, or was set aside, since it was held against the ledger last. The caller tells it.
     *
     * @return list<MissingRange>
     *
     * @throws UnableToFlush
     */
    public function losses(): array;
}
