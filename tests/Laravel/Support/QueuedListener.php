<?php

declare(strict_types=1);

namespace Headroom\Tests\Laravel\Support;

use Closure;
use Illuminate\Contracts\Queue\ShouldQueue;

/**
 * A listener that Laravel puts into the queue together with its event.
 */
final class QueuedListener implements ShouldQueue
{
    /** @var ?Closure(object): void */
    public static ?Closure $do = null;

    public function handle(object $event): void
    {
        if (self::$do !== null) {
            (self::$do)($event);
        }
    }
}
