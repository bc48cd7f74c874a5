<?php

declare(strict_types=1);

namespace Headroom\Doctor\Live\Causes;

use Headroom\Doctor\Live\Cause;

/**
 * All there are. Of two that explain as much the first is named.
 *
 * @internal
 */
final readonly class Causes
{
    /** @return list<Cause> */
    public static function all(): array
    {
        return [
            new KeptConnections,
            new RedisConnections,
            new RedisReplies,
            new DatabaseLocks,
            new DatabaseConnections,
            new DatabaseReplies,
            Waiting::forFileLocks(),
            Waiting::forTheDisk(),
            new KernelLocks,
            new OutgoingCalls,
            Waiting::forSleep(),
            new CpuQuota,
            new CpuFull,
            new ApplicationErrors,
            new BacklogOverflow,
            new PoolTooSmall,
            new ClientLimit,
        ];
    }
}
