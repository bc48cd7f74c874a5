<?php

declare(strict_types=1);

namespace Headroom\Spool\Delivery;

use Closure;
use Headroom\Core\Position;
use Headroom\Sink\Delivery;
use Headroom\Sink\Progress;
use Headroom\Spool\Store\Replicated;

/**
 * For a log on a server that another one may replace: nothing is handed over that the other one does not have.
 *
 * @internal
 */
final readonly class ReplicationGuard implements DeliveryStrategy
{
    public function __construct(private DeliveryStrategy $courier, private Replicated $log) {}

    public function begin(): Progress
    {
        return $this->courier->begin();
    }

    public function begun(): ?Position
    {
        return $this->courier->begun();
    }

    public function deliver(Delivery $delivery, ?Closure $next = null): int
    {
        $this->log->secure($delivery->to);

        return $this->courier->deliver($delivery, $next);
    }
}
