<?php

declare(strict_types=1);

namespace Headroom\Spool\Events;

use Headroom\Spool\Alerts\ResolvedAlert;

/**
 * All problems of the last AlertsRaised events are gone. Old dead letters may remain.
 */
final readonly class AlertsResolved
{
    /** @param non-empty-list<ResolvedAlert> $alerts all problems that were raised since the last AlertsResolved */
    public function __construct(public array $alerts) {}
}
