<?php

declare(strict_types=1);

namespace Headroom\Laravel\Notifications;

use Headroom\Core\Permanent;
use Headroom\Support\TerminalText;
use LogicException;

/**
 * A notification to somebody who has no notifications in a table.
 */
final class NotBufferable extends LogicException implements Permanent
{
    private function __construct(string $message)
    {
        parent::__construct(TerminalText::line($message));
    }

    public static function noTable(string $notification, string $notifiable, string $route): self
    {
        return new self("Notification {$notification} can not be stored for {$notifiable}: its routeNotificationFor('database') gives {$route}, and a relation to a table of notifications is needed. On-demand notifications (Notification::route()) have none: leave BufferedDatabase out of via() for them, or send it to a model that uses the Notifiable trait.");
    }
}
