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
        return [
            ...self::nginx(),
            ...self::fpm(),
            ...self::opcache(),
            ...self::kernel(),
            ...self::redis(),
            ...self::database(),
            ...self::laravel(),
        ];
    }

    /** @return list<Check> */
    private static function nginx(): array
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
            new Nginx\ProxyLadder,
            new Nginx\UnsupportedNginx,
        ];
    }

    /** @return list<Check> */
    private static function fpm(): array
    {
        return [
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
            new Fpm\OverriddenPool,
            new Fpm\UnsupportedPhp,
        ];
    }

    /** @return list<Check> */
    private static function opcache(): array
    {
        return [
            new Opcache\OpcacheOff,
            new Opcache\OpcacheFull,
            new Opcache\TooFewKeys,
            new Opcache\InternedStrings,
            new Opcache\TimestampsAreChecked,
            new Opcache\Waste,
            new Opcache\LowHitRate,
            new Opcache\JitIsFull,
            new Opcache\StalePreload,
            new Opcache\PreloadOfPool,
            new Opcache\SharedPreload,
            new Opcache\PreloadStopsStart,
            new Opcache\OpenBasedir,
            new Opcache\DebugExtension,
        ];
    }

    /** @return list<Check> */
    private static function kernel(): array
    {
        return [
            new Kernel\LostConnections,
            new Kernel\FewLocalPorts,
            new Kernel\AbortOnOverflow,
            new Kernel\FullSynQueue,
            new Kernel\OpenFilesOfServers,
            new Kernel\Throttled,
            new Kernel\OutOfMemory,
            new Kernel\RedisMemory,
        ];
    }

    /** @return list<Check> */
    private static function redis(): array
    {
        return [
            new Redis\ConnectPerRequest,
            new Redis\PersistentWithoutDatabase,
            new Redis\ClientLimit,
            new Redis\NoTimeouts,
            new Redis\TcpOnOneMachine,
            new Redis\SlowCommands,
            new Redis\LatencyMonitorOff,
            new Redis\EvictsSessions,
            new Redis\PersistenceStalls,
            new Redis\OneThread,
            new Redis\SlowClient,
            new Redis\BlocksLongerThanItWaits,
            new Redis\UnsupportedRedis,
            new Redis\SubscriptionEnds,
        ];
    }

    /** @return list<Check> */
    private static function database(): array
    {
        return [
            new Database\ConnectionLimit,
            new Database\ConnectChurn,
            new Database\PersistentPdo,
            new Database\CommitsOfHousekeeping,
            new Database\LongTransactions,
            new Database\Deadlocks,
            new Database\SmallBufferPool,
            new Database\SlowQueriesUnseen,
            new Database\FewProcessesFarAway,
            new Database\HotRow,
            new Database\UnsupportedDatabase,
        ];
    }

    /** @return list<Check> */
    private static function laravel(): array
    {
        return [
            new Laravel\ConfigNotCached,
            new Laravel\RoutesNotCached,
            new Laravel\EventsOrViewsNotCached,
            new Laravel\DebugInProduction,
            new Laravel\EnvironmentAtRuntime,
            new Laravel\AutoloaderLooksForFiles,
            new Opcache\AbsentClasses,
            new Opcache\DevPackagesPreloaded,
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
            new Laravel\BootingEachRequest,
            new Laravel\ManyQueries,
            new Laravel\SessionIsLocked,
            new Laravel\UnshieldedCache,
            new Laravel\WorkersAskTheDatabase,
            new Laravel\UnsupportedLaravel,
            new Laravel\KilledWhileItWorks,
        ];
    }
}
