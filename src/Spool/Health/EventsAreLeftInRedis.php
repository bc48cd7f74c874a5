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
            $left = $this->spool->stores()->leftInRedis();
        } catch (HeadroomException) {
            return []; // Redis is not needed any more, and may be gone for good
        }

        return array_map(static fn (string $name): Finding => new Finding("bucket {$name}", 'RedisBuffer has left events of it in Redis, and its store is file, so nothing delivers them.', "Give the bucket 'store' => 'redis' until `spool:status` shows nothing pending; what waits on disk is brought there."), $left);
    }
}
