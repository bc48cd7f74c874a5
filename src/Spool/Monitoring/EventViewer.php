<?php

declare(strict_types=1);

namespace Headroom\Spool\Monitoring;

use Generator;
use Headroom\Core\HeadroomException;
use Headroom\Sink\Progress;

/**
 * Shows the events that the next flush would deliver.
 *
 * @internal
 */
interface EventViewer
{
    /**
     * @param callable(): ?Progress $ledger returns the progress in the sink's ledger; null when the state file has the
     *     progress
     * @return Generator<int, PeekedEvent>
     *
     * @throws HeadroomException
     */
    public function events(callable $ledger): Generator;
}
