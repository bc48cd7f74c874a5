<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault\Support;

use Headroom\Core\FaultPoint;
use Headroom\Spool\Store\ConsumerLease;
use Headroom\Spool\Store\Store;

/**
 * A store whose flusher can be interrupted around each letter and each state that it saves.
 */
final readonly class PointedStore implements Store
{
    public function __construct(private Store $store, private FaultPoint $faultPoint) {}

    public function claim(string $bucket): ?ConsumerLease
    {
        $lease = $this->store->claim($bucket);

        if ($lease === null) {
            return null;
        }

        return new LeaseWith($lease, new PointedLetters($lease->letters(), $this->faultPoint), $this->faultPoint);
    }

    public function buckets(): array
    {
        return $this->store->buckets();
    }

    public function isPaused(string $bucket): bool
    {
        return $this->store->isPaused($bucket);
    }
}
