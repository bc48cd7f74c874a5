<?php

declare(strict_types=1);

namespace Headroom\Laravel\Alerts;

use Headroom\Spool\Append\Notifier;
use Headroom\Spool\Events\AlertsRaised;
use Headroom\Spool\Events\AlertsResolved;

/**
 * The application's listeners. A listener that throws is logged by the notifier.
 *
 * @internal
 */
final readonly class EventChannel implements AlertChannel
{
    public function __construct(private Notifier $notifier) {}

    public function name(): string
    {
        return 'events';
    }

    public function send(AlertMessage $message): void
    {
        $message->raised === [] ? null : $this->notifier->notify(new AlertsRaised($message->raised));
        $message->resolved === [] ? null : $this->notifier->notify(new AlertsResolved($message->resolved));
    }
}
