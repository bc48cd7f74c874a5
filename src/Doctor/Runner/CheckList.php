<?php

declare(strict_types=1);

namespace Headroom\Doctor\Runner;

use Headroom\Doctor\Check;
use Headroom\Doctor\Database\Checks\ConnectChurn;
use Headroom\Doctor\Database\Checks\ConnectionLimit;
use Headroom\Doctor\Database\Checks\Deadlocks;
use Headroom\Doctor\Database\Checks\FewProcessesFarAway;
use Headroom\Doctor\Database\Checks\HotRow;
use Headroom\Doctor\Database\Checks\HousekeepingCommits;
use Headroom\Doctor\Database\Checks\LongTransactions;
use Headroom\Doctor\Database\Checks\PersistentPdo;
use Headroom\Doctor\Database\Checks\SlowQueriesUnseen;
use Headroom\Doctor\Database\Checks\SmallBufferPool;
use Headroom\Doctor\Database\Checks\UnsupportedDatabase;
use Headroom\Doctor\Fpm\Checks\AllProcessesBusy;
use Headroom\Doctor\Fpm\Checks\CpuTimeUnlogged;
use Headroom\Doctor\Fpm\Checks\FrequentRespawns;
use Headroom\Doctor\Fpm\Checks\FullBacklog;
use Headroom\Doctor\Fpm\Checks\OnDemand;
use Headroom\Doctor\Fpm\Checks\OverriddenPool;
use Headroom\Doctor\Fpm\Checks\PoolsTogether;
use Headroom\Doctor\Fpm\Checks\ReloadKillsRequests;
use Headroom\Doctor\Fpm\Checks\SpawnLag;
use Headroom\Doctor\Fpm\Checks\StatusUnreachable;
use Headroom\Doctor\Fpm\Checks\UnsupportedPhp;
use Headroom\Doctor\Kernel\Checks\AbortOnOverflow;
use Headroom\Doctor\Kernel\Checks\CpuThrottling;
use Headroom\Doctor\Kernel\Checks\FewLocalPorts;
use Headroom\Doctor\Kernel\Checks\FullSynQueue;
use Headroom\Doctor\Kernel\Checks\ListenOverflows;
use Headroom\Doctor\Kernel\Checks\OutOfMemory;
use Headroom\Doctor\Kernel\Checks\ServerOpenFiles;
use Headroom\Doctor\Laravel\Checks\CacheStore;
use Headroom\Doctor\Laravel\Checks\ConfigNotCached;
use Headroom\Doctor\Laravel\Checks\DebugInProduction;
use Headroom\Doctor\Laravel\Checks\EnvironmentAtRuntime;
use Headroom\Doctor\Laravel\Checks\EventsOrViewsNotCached;
use Headroom\Doctor\Laravel\Checks\LocksBesideTheCache;
use Headroom\Doctor\Laravel\Checks\LogLevel;
use Headroom\Doctor\Laravel\Checks\ManyQueries;
use Headroom\Doctor\Laravel\Checks\NoOctane;
use Headroom\Doctor\Laravel\Checks\PulseInTheDatabase;
use Headroom\Doctor\Laravel\Checks\RoutesNotCached;
use Headroom\Doctor\Laravel\Checks\SessionDriver;
use Headroom\Doctor\Laravel\Checks\SessionIsLocked;
use Headroom\Doctor\Laravel\Checks\TelescopeInProduction;
use Headroom\Doctor\Laravel\Checks\UnoptimizedAutoloader;
use Headroom\Doctor\Laravel\Checks\UnshieldedCache;
use Headroom\Doctor\Laravel\Checks\UnsupportedLaravel;
use Headroom\Doctor\Laravel\Queue\BlockForTooLong;
use Headroom\Doctor\Laravel\Queue\PollingWorkers;
use Headroom\Doctor\Laravel\Queue\QueueOnOldServer;
use Headroom\Doctor\Laravel\Queue\RedisQueueDoesNotBlock;
use Headroom\Doctor\Laravel\Queue\SlowQueueConnection;
use Headroom\Doctor\Laravel\Queue\StopTimeoutTooShort;
use Headroom\Doctor\Laravel\Queue\TimeoutBeyondRetry;
use Headroom\Doctor\Nginx\Checks\ConnectTimeout;
use Headroom\Doctor\Nginx\Checks\FewConnections;
use Headroom\Doctor\Nginx\Checks\IncompleteKeepalive;
use Headroom\Doctor\Nginx\Checks\KeepaliveByDefault;
use Headroom\Doctor\Nginx\Checks\NoMicrocache;
use Headroom\Doctor\Nginx\Checks\NoOpenFileCache;
use Headroom\Doctor\Nginx\Checks\NoTimings;
use Headroom\Doctor\Nginx\Checks\OneWorker;
use Headroom\Doctor\Nginx\Checks\OpenFiles;
use Headroom\Doctor\Nginx\Checks\RepeatsPosts;
use Headroom\Doctor\Nginx\Checks\ResponsesToDisk;
use Headroom\Doctor\Nginx\Checks\ShortClientKeepalive;
use Headroom\Doctor\Nginx\Checks\SymlinkedRelease;
use Headroom\Doctor\Nginx\Checks\UnbufferedLog;
use Headroom\Doctor\Nginx\Checks\Uncompressed;
use Headroom\Doctor\Nginx\Checks\UnsupportedNginx;
use Headroom\Doctor\Nginx\Fpm\KeepaliveOutlivesChild;
use Headroom\Doctor\Nginx\Fpm\KeepaliveStarvesPool;
use Headroom\Doctor\Nginx\Fpm\ListenBacklog;
use Headroom\Doctor\Nginx\Fpm\MoreChildrenThanMemory;
use Headroom\Doctor\Nginx\Fpm\NoSlowLog;
use Headroom\Doctor\Nginx\Fpm\NoTerminateTimeout;
use Headroom\Doctor\Nginx\Fpm\PoolBacklog;
use Headroom\Doctor\Nginx\Fpm\ProxyLadder;
use Headroom\Doctor\Nginx\Fpm\SharedPreload;
use Headroom\Doctor\Nginx\Fpm\TimeoutLadder;
use Headroom\Doctor\Opcache\ClassesNotFound;
use Headroom\Doctor\Opcache\DebugExtension;
use Headroom\Doctor\Opcache\DevPackagesPreloaded;
use Headroom\Doctor\Opcache\InternedStringsFull;
use Headroom\Doctor\Opcache\JitBufferFull;
use Headroom\Doctor\Opcache\KeyTableFull;
use Headroom\Doctor\Opcache\LowHitRate;
use Headroom\Doctor\Opcache\OpcacheFull;
use Headroom\Doctor\Opcache\OpcacheOff;
use Headroom\Doctor\Opcache\OpenBasedir;
use Headroom\Doctor\Opcache\PreloadSetInPool;
use Headroom\Doctor\Opcache\PreloadStopsStart;
use Headroom\Doctor\Opcache\StalePreload;
use Headroom\Doctor\Opcache\TimestampsChecked;
use Headroom\Doctor\Opcache\WastedMemory;
use Headroom\Doctor\Redis\Checks\ConnectPerRequest;
use Headroom\Doctor\Redis\Checks\EvictsSessions;
use Headroom\Doctor\Redis\Checks\LatencyMonitorOff;
use Headroom\Doctor\Redis\Checks\MaxClients;
use Headroom\Doctor\Redis\Checks\MemoryOvercommit;
use Headroom\Doctor\Redis\Checks\NoTimeouts;
use Headroom\Doctor\Redis\Checks\OneThread;
use Headroom\Doctor\Redis\Checks\PersistenceStalls;
use Headroom\Doctor\Redis\Checks\PersistentWithoutDatabase;
use Headroom\Doctor\Redis\Checks\SlowClient;
use Headroom\Doctor\Redis\Checks\SlowCommands;
use Headroom\Doctor\Redis\Checks\SubscriptionTimeout;
use Headroom\Doctor\Redis\Checks\TcpOnOneMachine;
use Headroom\Doctor\Redis\Checks\UnsupportedRedis;

/**
 * All there are, in the order of the layers that a request goes through.
 *
 * @internal
 */
final readonly class CheckList
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
            new IncompleteKeepalive,
            new KeepaliveStarvesPool,
            new KeepaliveOutlivesChild,
            new KeepaliveByDefault,
            new ShortClientKeepalive,
            new TimeoutLadder,
            new ConnectTimeout,
            new ResponsesToDisk,
            new Uncompressed,
            new UnbufferedLog,
            new NoOpenFileCache,
            new ListenBacklog,
            new RepeatsPosts,
            new NoTimings,
            new SymlinkedRelease,
            new NoMicrocache,
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
            new PoolBacklog,
            new AllProcessesBusy,
            new FullBacklog,
            new StatusUnreachable,
            new NoSlowLog,
            new NoTerminateTimeout,
            new FrequentRespawns,
            new ReloadKillsRequests,
            new PoolsTogether,
            new CpuTimeUnlogged,
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
            new KeyTableFull,
            new InternedStringsFull,
            new TimestampsChecked,
            new WastedMemory,
            new LowHitRate,
            new JitBufferFull,
            new StalePreload,
            new PreloadSetInPool,
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
            new ListenOverflows,
            new FewLocalPorts,
            new AbortOnOverflow,
            new FullSynQueue,
            new ServerOpenFiles,
            new CpuThrottling,
            new OutOfMemory,
            new MemoryOvercommit,
        ];
    }

    /** @return list<Check> */
    private static function redis(): array
    {
        return [
            new ConnectPerRequest,
            new PersistentWithoutDatabase,
            new MaxClients,
            new NoTimeouts,
            new TcpOnOneMachine,
            new SlowCommands,
            new LatencyMonitorOff,
            new EvictsSessions,
            new PersistenceStalls,
            new OneThread,
            new SlowClient,
            new BlockForTooLong,
            new UnsupportedRedis,
            new SubscriptionTimeout,
        ];
    }

    /** @return list<Check> */
    private static function database(): array
    {
        return [
            new ConnectionLimit,
            new ConnectChurn,
            new PersistentPdo,
            new HousekeepingCommits,
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
            new UnoptimizedAutoloader,
            new ClassesNotFound,
            new DevPackagesPreloaded,
            new SessionDriver,
            new CacheStore,
            new SlowQueueConnection,
            new QueueOnOldServer,
            new TimeoutBeyondRetry,
            new RedisQueueDoesNotBlock,
            new LogLevel,
            new TelescopeInProduction,
            new PulseInTheDatabase,
            new LocksBesideTheCache,
            new NoOctane,
            new ManyQueries,
            new SessionIsLocked,
            new UnshieldedCache,
            new PollingWorkers,
            new UnsupportedLaravel,
            new StopTimeoutTooShort,
        ];
    }
}
