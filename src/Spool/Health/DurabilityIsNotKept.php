<?php

declare(strict_types=1);

namespace Headroom\Spool\Health;

use Headroom\Core\HeadroomException;
use Headroom\Spool\FileStore\Fsync\DurabilityCheck;
use Headroom\Spool\Services\SpoolServices;

/**
 * A bucket on disk that does not have the durability that its configuration promises.
 *
 * @internal
 */
final readonly class DurabilityIsNotKept implements HealthCheck
{
    public function __construct(private SpoolServices $spool, private string $bucket) {}

    public function findings(): array
    {
        if ($this->spool->stores()->isOnRedis($this->bucket)) {
            return [];
        }

        try {
            $bucket = $this->spool->config()->bucket($this->bucket);
        } catch (HeadroomException) {
            return []; // SinkIsNotReady reports it.
        }

        return $bucket === null ? [] : (new DurabilityCheck(
            $this->spool->store(),
            $this->bucket,
            $bucket->durability,
            $this->spool->clock(),
        ))->findings();
    }
}
