<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel\Support;

use Headroom\Laravel\Alerts\AlertNotification;
use Illuminate\Notifications\Notifiable;
use RuntimeException;

/**
 * A notifiable of the application, with an address or with a fault.
 */
final class PagedTeam
{
    use Notifiable;

    public static bool $throws = false;

    public function routeNotificationForMail(AlertNotification $notification): string
    {
        return self::$throws ? throw new RuntimeException("The team\nis away.") : 'team@example.com';
    }
}
