<?php

declare(strict_types=1);

namespace Headroom\Doctor\Checks;

use Headroom\Doctor\Check;

/**
 * All there are, in the order of the layers that a request goes through.
 *
 * @internal
 */
final readonly class Checks
{
    /** @return list<Check> */
    public static function all(): array
    {
        return [...self::ofTheMachine(), ...self::ofTheApplication()];
    }

    /** @return list<Check> of what a server tells without an application */
    private static function ofTheMachine(): array
    {
        return [
            new Nginx\FewConnections,
            new Nginx\OpenFiles,
            new Nginx\OneWorker,
            new Nginx\HalfAKeepalive,
            new Nginx\KeepaliveStarvesPool,
            new Nginx\KeepaliveOutlivesChild,
            new Nginx\KeepaliveByDefault,
            new Nginx\ShortClientKeepalive,
            new Nginx\TimeoutLadder,
            new Nginx\ConnectTimeout,
            new Nginx\ResponsesToDisk,
            new Nginx\Uncompressed,
            new Nginx\UnbufferedLog,
            new Nginx\FilesOpenedAnew,
            new Nginx\ListenBacklog,
            new Nginx\RepeatsPosts,
            new Nginx\NoTimings,
            new Nginx\ReleaseBehindLink,
            new Nginx\SamePageAgain,
            new Fpm\MoreChildrenThanMemory,
            new Fpm\SpawnLag,
            new Fpm\OnDemand,
            new Fpm\Backlog,
            new Fpm\AllBusy,
            new Fpm\FullBacklog,
            new Fpm\StatusUnreachable,
            new Fpm\NoSlowLog,
            new Fpm\HungChildren,
            new Fpm\FrequentRespawns,
            new Fpm\ReloadKillsRequests,
            new Fpm\PoolsTogether,
            new Fpm\CostUnknown,
            new Opcache\OpcacheOff,
            new Opcache\OpcacheFull,
            new Opcache\TooFewKeys,
            new Opcache\InternedStrings,
            new Opcache\TimestampsAreChecked,
            new Opcache\Waste,
            new Opcache\LowHitRate,
            new Opcache\JitIsFull,
            new Opcache\StalePreload,
            new Opcache\OpenBasedir,
            new Opcache\DebugExtension,
            new Kernel\AbortOnOverflow,
            new Kernel\RedisMemory,
        ];
    }

    /** @return list<Check> */
    private static function ofTheApplication(): array
    {
        return [
            new Redis\ConnectPerRequest,
            new Redis\PersistentWithoutDatabase,
            new Redis\ClientLimit,
            new Redis\NoTimeouts,
            new Redis\SlowCommands,
            new Redis\LatencyMonitorOff,
            new Redis\EvictsSessions,
            new Redis\PersistenceStalls,
            new Redis\SlowClient,
            new Database\ConnectionLimit,
            new Database\PersistentPdo,
            new Database\CommitsOfHousekeeping,
            new Database\LongTransactions,
            new Database\Deadlocks,
            new Database\SmallBufferPool,
            new Database\SlowQueriesUnseen,
            new Laravel\NotCached,
            new Laravel\DebugInProduction,
            new Laravel\EnvironmentAtRuntime,
            new Laravel\AutoloaderLooksForFiles,
            new Opcache\AbsentClasses,
            new Laravel\SessionDriver,
            new Laravel\CacheStore,
            new Laravel\QueueConnection,
            new Laravel\QueueOnOldServer,
            new Laravel\TimeoutBeyondRetry,
            new Laravel\RedisQueueDoesNotBlock,
            new Laravel\LogLevel,
            new Laravel\Telescope,
            new Laravel\PulseInTheDatabase,
            new Laravel\LocksBesideTheCache,
        ];
    }
}
