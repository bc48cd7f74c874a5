<?php

declare(strict_types=1);

namespace Headroom\Spool;

/**
 * A log on a server that may have lost some of it.
 *
 * @internal
 */
interface Forgetful
{
    /**
     * What is gone, or was set aside, since it was held against the ledger last. The caller tells it.
     *
     * @return list<Loss>
     *
     * @throws UnableToFlush
     */
    public function losses(): array;
}
