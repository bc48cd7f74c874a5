<?php

declare(strict_types=1);

namespace Headroom\Spool\Events;

use Headroom\Spool\Alerts\Alert;

/**
 * The check of the alerts has found new problems. Dispatched once per problem while it lasts, and at most once an hour
 * per problem.
 */
final readonly class AlertsRaised
{
    /** @param non-empty-list<Alert> $alerts */
    public function __construct(public array $alerts) {}
}
