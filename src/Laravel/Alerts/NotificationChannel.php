<?php

declare(strict_types=1);

namespace Headroom\Laravel\Alerts;

use Closure;
use Illuminate\Contracts\Notifications\Dispatcher;

/**
 * A notifiable of the application, or the mail addresses of the configuration.
 *
 * @internal
 */
final readonly class NotificationChannel implements AlertChannel
{
    /**
     * @param Closure(): Dispatcher $notifications
     * @param Closure(): mixed $notifiable
     * @param Closure(AlertMessage): AlertNotification $notification
     */
    public function __construct(
        private string $name,
        private Closure $notifications,
        private Closure $notifiable,
        private Closure $notification,
    ) {}

    public function name(): string
    {
        return $this->name;
    }

    public function send(AlertMessage $message): void
    {
        ($this->notifications)()->send(($this->notifiable)(), ($this->notification)($message));
    }
}
