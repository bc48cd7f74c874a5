<?php

declare(strict_types=1);

namespace Headroom\Spool\Health;

use Headroom\Core\Finding;
use Headroom\Core\HeadroomException;
use Headroom\Spool\Services\SpoolServices;

/**
 * A bucket on disk that still has events in Redis.
 *
 * @internal
 */
final readonly class EventsAreLeftInRedis implements HealthCheck
{
    public function __construct(private SpoolServices $spool) {}

    public function findings(): array
    {
        try {
            $remaining = $this->spool->stores()->leftInRedis();
        } catch (HeadroomException) {
            return []; // The buckets on disk do not need Redis, which may be gone.
        }

        return array_map(static fn (string $name): Finding => new Finding(
            "bucket {$name}",
            'Its store is file, but Redis still has events that RedisBuffer left there, so no process delivers them.',
            "Set its 'store' to 'redis' until `spool:status` shows no pending events. A flush moves the events on disk"
                .' to Redis.',
        ), $remaining);
    }
}
