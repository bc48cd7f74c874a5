<?php

declare(strict_types=1);

namespace Headroom\Doctor\Checks;

use Headroom\Doctor\Check;
use Headroom\Doctor\Checks\Database\CommitsOfHousekeeping;
use Headroom\Doctor\Checks\Database\ConnectChurn;
use Headroom\Doctor\Checks\Database\ConnectionLimit;
use Headroom\Doctor\Checks\Database\Deadlocks;
use Headroom\Doctor\Checks\Database\FewProcessesFarAway;
use Headroom\Doctor\Checks\Database\HotRow;
use Headroom\Doctor\Checks\Database\LongTransactions;
use Headroom\Doctor\Checks\Database\PersistentPdo;
use Headroom\Doctor\Checks\Database\SlowQueriesUnseen;
use Headroom\Doctor\Checks\Database\SmallBufferPool;
use Headroom\Doctor\Checks\Database\UnsupportedDatabase;
use Headroom\Doctor\Checks\Fpm\AllBusy;
use Headroom\Doctor\Checks\Fpm\Backlog;
use Headroom\Doctor\Checks\Fpm\CostUnknown;
use Headroom\Doctor\Checks\Fpm\FrequentRespawns;
use Headroom\Doctor\Checks\Fpm\FullBacklog;
use Headroom\Doctor\Checks\Fpm\HungChildren;
use Headroom\Doctor\Checks\Fpm\MoreChildrenThanMemory;
use Headroom\Doctor\Checks\Fpm\NoSlowLog;
use Headroom\Doctor\Checks\Fpm\OnDemand;
use Headroom\Doctor\Checks\Fpm\OverriddenPool;
use Headroom\Doctor\Checks\Fpm\PoolsTogether;
use Headroom\Doctor\Checks\Fpm\ReloadKillsRequests;
use Headroom\Doctor\Checks\Fpm\SpawnLag;
use Headroom\Doctor\Checks\Fpm\StatusUnreachable;
use Headroom\Doctor\Checks\Fpm\UnsupportedPhp;
use Headroom\Doctor\Checks\Kernel\AbortOnOverflow;
use Headroom\Doctor\Checks\Kernel\FewLocalPorts;
use Headroom\Doctor\Checks\Kernel\FullSynQueue;
use Headroom\Doctor\Checks\Kernel\LostConnections;
use Headroom\Doctor\Checks\Kernel\OpenFilesOfServers;
use Headroom\Doctor\Checks\Kernel\OutOfMemory;
use Headroom\Doctor\Checks\Kernel\RedisMemory;
use Headroom\Doctor\Checks\Kernel\Throttled;
use Headroom\Doctor\Checks\Laravel\AutoloaderLooksForFiles;
use Headroom\Doctor\Checks\Laravel\BootingEachRequest;
use Headroom\Doctor\Checks\Laravel\CacheStore;
use Headroom\Doctor\Checks\Laravel\ConfigNotCached;
use Headroom\Doctor\Checks\Laravel\DebugInProduction;
use Headroom\Doctor\Checks\Laravel\EnvironmentAtRuntime;
use Headroom\Doctor\Checks\Laravel\EventsOrViewsNotCached;
use Headroom\Doctor\Checks\Laravel\KilledWhileItWorks;
use Headroom\Doctor\Checks\Laravel\LocksBesideTheCache;
use Headroom\Doctor\Checks\Laravel\LogLevel;
use Headroom\Doctor\Checks\Laravel\ManyQueries;
use Headroom\Doctor\Checks\Laravel\PulseInTheDatabase;
use Headroom\Doctor\Checks\Laravel\QueueConnection;
use Headroom\Doctor\Checks\Laravel\QueueOnOldServer;
use Headroom\Doctor\Checks\Laravel\RedisQueueDoesNotBlock;
use Headroom\Doctor\Checks\Laravel\RoutesNotCached;
use Headroom\Doctor\Checks\Laravel\SessionDriver;
use Headroom\Doctor\Checks\Laravel\SessionIsLocked;
use Headroom\Doctor\Checks\Laravel\Telescope;
use Headroom\Doctor\Checks\Laravel\TimeoutBeyondRetry;
use Headroom\Doctor\Checks\Laravel\UnshieldedCache;
use Headroom\Doctor\Checks\Laravel\UnsupportedLaravel;
use Headroom\Doctor\Checks\Laravel\WorkersAskTheDatabase;
use Headroom\Doctor\Checks\Nginx\ConnectTimeout;
use Headroom\Doctor\Checks\Nginx\FewConnections;
use Headroom\Doctor\Checks\Nginx\FilesOpenedAnew;
use Headroom\Doctor\Checks\Nginx\HalfAKeepalive;
use Headroom\Doctor\Checks\Nginx\KeepaliveByDefault;
use Headroom\Doctor\Checks\Nginx\KeepaliveOutlivesChild;
use Headroom\Doctor\Checks\Nginx\KeepaliveStarvesPool;
use Headroom\Doctor\Checks\Nginx\ListenBacklog;
use Headroom\Doctor\Checks\Nginx\NoTimings;
use Headroom\Doctor\Checks\Nginx\OneWorker;
use Headroom\Doctor\Checks\Nginx\OpenFiles;
use Headroom\Doctor\Checks\Nginx\ProxyLadder;
use Headroom\Doctor\Checks\Nginx\ReleaseBehindLink;
use Headroom\Doctor\Checks\Nginx\RepeatsPosts;
use Headroom\Doctor\Checks\Nginx\ResponsesToDisk;
use Headroom\Doctor\Checks\Nginx\SamePageAgain;
use Headroom\Doctor\Checks\Nginx\ShortClientKeepalive;
use Headroom\Doctor\Checks\Nginx\TimeoutLadder;
use Headroom\Doctor\Checks\Nginx\UnbufferedLog;
use Headroom\Doctor\Checks\Nginx\Uncompressed;
use Headroom\Doctor\Checks\Nginx\UnsupportedNginx;
use Headroom\Doctor\Checks\Opcache\AbsentClasses;
use Headroom\Doctor\Checks\Opcache\DebugExtension;
use Headroom\Doctor\Checks\Opcache\DevPackagesPreloaded;
use Headroom\Doctor\Checks\Opcache\InternedStrings;
use Headroom\Doctor\Checks\Opcache\JitIsFull;
use Headroom\Doctor\Checks\Opcache\LowHitRate;
use Headroom\Doctor\Checks\Opcache\OpcacheFull;
use Headroom\Doctor\Checks\Opcache\OpcacheOff;
use Headroom\Doctor\Checks\Opcache\OpenBasedir;
use Headroom\Doctor\Checks\Opcache\PreloadOfPool;
use Headroom\Doctor\Checks\Opcache\PreloadStopsStart;
use Headroom\Doctor\Checks\Opcache\SharedPreload;
use Headroom\Doctor\Checks\Opcache\StalePreload;
use Headroom\Doctor\Checks\Opcache\TimestampsAreChecked;
use Headroom\Doctor\Checks\Opcache\TooFewKeys;
use Headroom\Doctor\Checks\Opcache\Waste;
use Headroom\Doctor\Checks\Redis\BlocksLongerThanItWaits;
use Headroom\Doctor\Checks\Redis\ClientLimit;
use Headroom\Doctor\Checks\Redis\ConnectPerRequest;
use Headroom\Doctor\Checks\Redis\EvictsSessions;
use Headroom\Doctor\Checks\Redis\LatencyMonitorOff;
use Headroom\Doctor\Checks\Redis\NoTimeouts;
use Headroom\Doctor\Checks\Redis\OneThread;
use Headroom\Doctor\Checks\Redis\PersistenceStalls;
use Headroom\Doctor\Checks\Redis\PersistentWithoutDatabase;
use Headroom\Doctor\Checks\Redis\SlowClient;
use Headroom\Doctor\Checks\Redis\SlowCommands;
use Headroom\Doctor\Checks\Redis\SubscriptionEnds;
use Headroom\Doctor\Checks\Redis\TcpOnOneMachine;
use Headroom\Doctor\Checks\Redis\UnsupportedRedis;

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
            new FewConnections,
            new OpenFiles,
            new OneWorker,
            new HalfAKeepalive,
            new KeepaliveStarvesPool,
            new KeepaliveOutlivesChild,
            new KeepaliveByDefault,
            new ShortClientKeepalive,
            new TimeoutLadder,
            new ConnectTimeout,
            new ResponsesToDisk,
            new Uncompressed,
            new UnbufferedLog,
            new FilesOpenedAnew,
            new ListenBacklog,
            new RepeatsPosts,
            new NoTimings,
            new ReleaseBehindLink,
            new SamePageAgain,
            new ProxyLadder,
            new UnsupportedNginx,
        ];
    }

    /** @return list<Check> */
    private static function fpm(): array
    {
        return [
            new MoreChildrenThanMemory,
            new SpawnLag,
            new OnDemand,
            new Backlog,
            new AllBusy,
            new FullBacklog,
            new StatusUnreachable,
            new NoSlowLog,
            new HungChildren,
            new FrequentRespawns,
            new ReloadKillsRequests,
            new PoolsTogether,
            new CostUnknown,
            new OverriddenPool,
            new UnsupportedPhp,
        ];
    }

    /** @return list<Check> */
    private static function opcache(): array
    {
        return [
            new OpcacheOff,
            new OpcacheFull,
            new TooFewKeys,
            new InternedStrings,
            new TimestampsAreChecked,
            new Waste,
            new LowHitRate,
            new JitIsFull,
            new StalePreload,
            new PreloadOfPool,
            new SharedPreload,
            new PreloadStopsStart,
            new OpenBasedir,
            new DebugExtension,
        ];
    }

    /** @return list<Check> */
    private static function kernel(): array
    {
        return [
            new LostConnections,
            new FewLocalPorts,
            new AbortOnOverflow,
            new FullSynQueue,
            new OpenFilesOfServers,
            new Throttled,
            new OutOfMemory,
            new RedisMemory,
        ];
    }

    /** @return list<Check> */
    private static function redis(): array
    {
        return [
            new ConnectPerRequest,
            new PersistentWithoutDatabase,
            new ClientLimit,
            new NoTimeouts,
            new TcpOnOneMachine,
            new SlowCommands,
            new LatencyMonitorOff,
            new EvictsSessions,
            new PersistenceStalls,
            new OneThread,
            new SlowClient,
            new BlocksLongerThanItWaits,
            new UnsupportedRedis,
            new SubscriptionEnds,
        ];
    }

    /** @return list<Check> */
    private static function database(): array
    {
        return [
            new ConnectionLimit,
            new ConnectChurn,
            new PersistentPdo,
            new CommitsOfHousekeeping,
            new LongTransactions,
            new Deadlocks,
            new SmallBufferPool,
            new SlowQueriesUnseen,
            new FewProcessesFarAway,
            new HotRow,
            new UnsupportedDatabase,
        ];
    }

    /** @return list<Check> */
    private static function laravel(): array
    {
        return [
            new ConfigNotCached,
            new RoutesNotCached,
            new EventsOrViewsNotCached,
            new DebugInProduction,
            new EnvironmentAtRuntime,
            new AutoloaderLooksForFiles,
            new AbsentClasses,
            new DevPackagesPreloaded,
            new SessionDriver,
            new CacheStore,
            new QueueConnection,
            new QueueOnOldServer,
            new TimeoutBeyondRetry,
            new RedisQueueDoesNotBlock,
            new LogLevel,
            new Telescope,
            new PulseInTheDatabase,
            new LocksBesideTheCache,
            new BootingEachRequest,
            new ManyQueries,
            new SessionIsLocked,
            new UnshieldedCache,
            new WorkersAskTheDatabase,
            new UnsupportedLaravel,
            new KilledWhileItWorks,
        ];
    }
}
