<?php

declare(strict_types=1);

namespace Workbench\App\Notifications;

use Illuminate\Notifications\Notification;

/**
 * Kept in the table of notifications, as Laravel does it.
 */
final class OrderShipped extends Notification
{
    public function __construct(private readonly int $order) {}

    /** @return list<string> */
    public function via(object $notifiable): array
    {
        return ['database'];
    }

    /** @return array<string, mixed> */
    public function toArray(object $notifiable): array
    {
        return ['order' => $this->order, 'text' => __('Order :n is on its way.', ['n' => $this->order])];
    }
}
