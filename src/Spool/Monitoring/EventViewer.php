<?php

declare(strict_types=1);

namespace Headroom\Spool\Monitoring;

use Generator;
use Headroom\Core\HeadroomException;
use Headroom\Sink\Progress;

/**
 * Shows what the next flush would deliver.
 *
 * @internal
 */
interface EventViewer
{
    /**
     * @param callable(): ?Progress $ledger what the sink's ledger says now; null when the state is the truth
     * @return Generator<int, PeekedEvent>
     *
     * @throws HeadroomException
     */
    public function events(callable $ledger): Generator;
}
