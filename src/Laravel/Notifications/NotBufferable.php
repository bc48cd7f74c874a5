<?php

declare(strict_types=1);

namespace Headroom\Laravel\Notifications;

use Headroom\Core\Permanent;
use Headroom\Support\TerminalText;
use LogicException;

/**
 * A notification to an object that has no notifications table.
 */
final class NotBufferable extends LogicException implements Permanent
{
    private function __construct(string $message)
    {
        parent::__construct(TerminalText::line($message));
    }

    public static function noTable(string $notification, string $notifiable, string $route): self
    {
        return new self(
            "Notification {$notification} cannot be stored for {$notifiable}: its routeNotificationFor('database')"
                ." returns {$route} instead of a relation. Send it to a model that uses the Notifiable trait, or remove"
                .' BufferedDatabase from via().',
        );
    }
}
