<?php

declare(strict_types=1);

namespace Headroom\Doctor\UnderLoad\Causes;

use Headroom\Doctor\UnderLoad\CauseDetector;

/**
 * All causes. Of two with the same weight, the first is named.
 *
 * @internal
 */
final readonly class CauseList
{
    /** @return list<CauseDetector> */
    public static function all(): array
    {
        return [
            new KeptConnections,
            new RedisConnections,
            new RedisReplies,
            new DatabaseLocks,
            new DatabaseConnections,
            new DatabaseReplies,
            LocalWaits::forFileLocks(),
            LocalWaits::forTheDisk(),
            new KernelLocks,
            new OutgoingCalls,
            LocalWaits::forSleep(),
            new CpuQuota,
            new CpuFull,
            new ApplicationErrors,
            new BacklogOverflow,
            new PoolTooSmall,
            new LoadGeneratorLimit,
        ];
    }
}
