<?php

declare(strict_types=1);

namespace Headroom\Doctor\Runner;

use Headroom\Doctor\Check;
use Headroom\Doctor\CheckText;
use Headroom\Doctor\Database\Checks\ConnectChurn;
use Headroom\Doctor\Database\Checks\ConnectionLimit;
use Headroom\Doctor\Database\Checks\Deadlocks;
use Headroom\Doctor\Database\Checks\HotRow;
use Headroom\Doctor\Database\Checks\HousekeepingCommits;
use Headroom\Doctor\Database\Checks\LongTransactions;
use Headroom\Doctor\Database\Checks\PersistentPdo;
use Headroom\Doctor\Database\Checks\PoolTooSmallForDatabaseLatency;
use Headroom\Doctor\Database\Checks\SlowQueriesUnseen;
use Headroom\Doctor\Database\Checks\SmallBufferPool;
use Headroom\Doctor\Database\Checks\UnsupportedDatabase;
use Headroom\Doctor\Fpm\Checks\AllProcessesBusy;
use Headroom\Doctor\Fpm\Checks\CpuTimeUnlogged;
use Headroom\Doctor\Fpm\Checks\FrequentRespawns;
use Headroom\Doctor\Fpm\Checks\OnDemand;
use Headroom\Doctor\Fpm\Checks\OverriddenPool;
use Headroom\Doctor\Fpm\Checks\PoolsTogether;
use Headroom\Doctor\Fpm\Checks\ReloadKillsRequests;
use Headroom\Doctor\Fpm\Checks\RequestsWaiting;
use Headroom\Doctor\Fpm\Checks\SpawnLag;
use Headroom\Doctor\Fpm\Checks\StatusUnreachable;
use Headroom\Doctor\Fpm\Checks\UnsupportedPhp;
use Headroom\Doctor\Fpm\PoolCheck;
use Headroom\Doctor\Kernel\Checks\AbortOnOverflow;
use Headroom\Doctor\Kernel\Checks\CpuThrottling;
use Headroom\Doctor\Kernel\Checks\FewLocalPorts;
use Headroom\Doctor\Kernel\Checks\FullSynQueue;
use Headroom\Doctor\Kernel\Checks\ListenOverflows;
use Headroom\Doctor\Kernel\Checks\OutOfMemory;
use Headroom\Doctor\Kernel\Checks\ServerOpenFiles;
use Headroom\Doctor\Laravel\Checks\CacheStampede;
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
use Headroom\Doctor\Laravel\Checks\UnsupportedLaravel;
use Headroom\Doctor\Laravel\Queue\Checks\PollingWorkers;
use Headroom\Doctor\Laravel\Queue\Checks\QueueOnOldServer;
use Headroom\Doctor\Laravel\Queue\Checks\RedisQueueDoesNotBlock;
use Headroom\Doctor\Laravel\Queue\Checks\SlowQueueConnection;
use Headroom\Doctor\Laravel\Queue\Checks\StopTimeoutTooShort;
use Headroom\Doctor\Laravel\Queue\Checks\TimeoutBeyondRetry;
use Headroom\Doctor\Laravel\Queue\Checks\WorkerLosesConnection;
use Headroom\Doctor\Nginx\Checks\ConnectTimeout;
use Headroom\Doctor\Nginx\Checks\FewConnections;
use Headroom\Doctor\Nginx\Checks\KeepaliveByDefault;
use Headroom\Doctor\Nginx\Checks\KeepaliveHalfConfigured;
use Headroom\Doctor\Nginx\Checks\NoMicrocache;
use Headroom\Doctor\Nginx\Checks\NonIdempotentRetries;
use Headroom\Doctor\Nginx\Checks\NoOpenFileCache;
use Headroom\Doctor\Nginx\Checks\NoTimings;
use Headroom\Doctor\Nginx\Checks\OneWorker;
use Headroom\Doctor\Nginx\Checks\OpenFiles;
use Headroom\Doctor\Nginx\Checks\ResponsesToDisk;
use Headroom\Doctor\Nginx\Checks\ShortClientKeepalive;
use Headroom\Doctor\Nginx\Checks\SymlinkedRelease;
use Headroom\Doctor\Nginx\Checks\UnbufferedLog;
use Headroom\Doctor\Nginx\Checks\Uncompressed;
use Headroom\Doctor\Nginx\Checks\UnsupportedNginx;
use Headroom\Doctor\Nginx\Fpm\Checks\KeepaliveOutlivesChild;
use Headroom\Doctor\Nginx\Fpm\Checks\KeepaliveStarvesPool;
use Headroom\Doctor\Nginx\Fpm\Checks\ListenBacklog;
use Headroom\Doctor\Nginx\Fpm\Checks\MoreChildrenThanMemory;
use Headroom\Doctor\Nginx\Fpm\Checks\NginxGivesUpBeforePhp;
use Headroom\Doctor\Nginx\Fpm\Checks\NoSlowLog;
use Headroom\Doctor\Nginx\Fpm\Checks\NoTerminateTimeout;
use Headroom\Doctor\Nginx\Fpm\Checks\PoolBacklog;
use Headroom\Doctor\Nginx\Fpm\Checks\ProxyTimeoutMismatch;
use Headroom\Doctor\Nginx\Fpm\Checks\SharedPreload;
use Headroom\Doctor\Nginx\NginxCheck;
use Headroom\Doctor\Opcache\Checks\ClassesNotFound;
use Headroom\Doctor\Opcache\Checks\DebugExtension;
use Headroom\Doctor\Opcache\Checks\DevPackagesPreloaded;
use Headroom\Doctor\Opcache\Checks\InternedStringsFull;
use Headroom\Doctor\Opcache\Checks\JitBufferFull;
use Headroom\Doctor\Opcache\Checks\KeyTableFull;
use Headroom\Doctor\Opcache\Checks\LowHitRate;
use Headroom\Doctor\Opcache\Checks\OpcacheFull;
use Headroom\Doctor\Opcache\Checks\OpcacheOff;
use Headroom\Doctor\Opcache\Checks\OpenBasedir;
use Headroom\Doctor\Opcache\Checks\PreloadSetInPool;
use Headroom\Doctor\Opcache\Checks\PreloadStopsStart;
use Headroom\Doctor\Opcache\Checks\StalePreload;
use Headroom\Doctor\Opcache\Checks\TimestampsChecked;
use Headroom\Doctor\Opcache\Checks\WastedMemory;
use Headroom\Doctor\Redis\Checks\ConnectPerRequest;
use Headroom\Doctor\Redis\Checks\EvictsLastingKeys;
use Headroom\Doctor\Redis\Checks\LatencyMonitorOff;
use Headroom\Doctor\Redis\Checks\MaxClients;
use Headroom\Doctor\Redis\Checks\MemoryOvercommit;
use Headroom\Doctor\Redis\Checks\NoTimeouts;
use Headroom\Doctor\Redis\Checks\PersistenceStalls;
use Headroom\Doctor\Redis\Checks\PersistentWithoutDatabase;
use Headroom\Doctor\Redis\Checks\PredisInUse;
use Headroom\Doctor\Redis\Checks\RedisMainThreadBusy;
use Headroom\Doctor\Redis\Checks\SlowCommands;
use Headroom\Doctor\Redis\Checks\SubscriptionTimeout;
use Headroom\Doctor\Redis\Checks\TcpOnOneMachine;
use Headroom\Doctor\Redis\Checks\UnsupportedRedis;
use Headroom\Doctor\Redis\RedisCheck;
use Headroom\Doctor\UnableToReadCheckText;

/**
 * The checks, in the order of the layers that a request passes. None is built before it is asked for.
 *
 * @internal
 *
 * @phpstan-type AnyCheck Check|PoolCheck|RedisCheck|NginxCheck
 */
final readonly class CheckList
{
    private const TEXTS = __DIR__.'/../../../resources/checks';

    private const CLASSES = [
        'N1' => FewConnections::class,
        'N2' => OpenFiles::class,
        'N3' => OneWorker::class,
        'N4' => KeepaliveHalfConfigured::class,
        'N5' => KeepaliveStarvesPool::class,
        'N6' => KeepaliveOutlivesChild::class,
        'N7' => KeepaliveByDefault::class,
        'N8' => ShortClientKeepalive::class,
        'N9' => NginxGivesUpBeforePhp::class,
        'N10' => ConnectTimeout::class,
        'N11' => ResponsesToDisk::class,
        'N12' => Uncompressed::class,
        'N13' => UnbufferedLog::class,
        'N14' => NoOpenFileCache::class,
        'N15' => ListenBacklog::class,
        'N16' => NonIdempotentRetries::class,
        'N17' => NoTimings::class,
        'N18' => SymlinkedRelease::class,
        'N19' => NoMicrocache::class,
        'N21' => ProxyTimeoutMismatch::class,
        'N20' => UnsupportedNginx::class,
        'F1' => MoreChildrenThanMemory::class,
        'F3' => SpawnLag::class,
        'F4' => OnDemand::class,
        'F5' => PoolBacklog::class,
        'F2' => AllProcessesBusy::class,
        'F6' => RequestsWaiting::class,
        'F7' => StatusUnreachable::class,
        'F8' => NoSlowLog::class,
        'F9' => NoTerminateTimeout::class,
        'F10' => FrequentRespawns::class,
        'F11' => ReloadKillsRequests::class,
        'F12' => PoolsTogether::class,
        'F13' => CpuTimeUnlogged::class,
        'F15' => OverriddenPool::class,
        'F16' => UnsupportedPhp::class,
        'O1' => OpcacheOff::class,
        'O2' => OpcacheFull::class,
        'O3' => KeyTableFull::class,
        'O4' => InternedStringsFull::class,
        'O5' => TimestampsChecked::class,
        'O6' => WastedMemory::class,
        'O7' => LowHitRate::class,
        'O8' => JitBufferFull::class,
        'O9' => StalePreload::class,
        'O13' => PreloadSetInPool::class,
        'O14' => SharedPreload::class,
        'O15' => PreloadStopsStart::class,
        'O10' => OpenBasedir::class,
        'O11' => DebugExtension::class,
        'S2' => ListenOverflows::class,
        'S3' => FewLocalPorts::class,
        'S4' => AbortOnOverflow::class,
        'S5' => FullSynQueue::class,
        'S6' => ServerOpenFiles::class,
        'S7' => CpuThrottling::class,
        'S8' => OutOfMemory::class,
        'S9' => MemoryOvercommit::class,
        'R1' => ConnectPerRequest::class,
        'R2' => PersistentWithoutDatabase::class,
        'R3' => MaxClients::class,
        'R4' => NoTimeouts::class,
        'R5' => TcpOnOneMachine::class,
        'R6' => SlowCommands::class,
        'R7' => LatencyMonitorOff::class,
        'R8' => EvictsLastingKeys::class,
        'R9' => PersistenceStalls::class,
        'R10' => RedisMainThreadBusy::class,
        'R11' => PredisInUse::class,
        'R12' => WorkerLosesConnection::class,
        'R13' => UnsupportedRedis::class,
        'R14' => SubscriptionTimeout::class,
        'D1' => ConnectionLimit::class,
        'D2' => ConnectChurn::class,
        'D3' => PersistentPdo::class,
        'D4' => HousekeepingCommits::class,
        'D5' => LongTransactions::class,
        'D6' => Deadlocks::class,
        'D7' => SmallBufferPool::class,
        'D8' => SlowQueriesUnseen::class,
        'D9' => PoolTooSmallForDatabaseLatency::class,
        'D10' => HotRow::class,
        'D11' => UnsupportedDatabase::class,
        'L1' => ConfigNotCached::class,
        'L2' => RoutesNotCached::class,
        'L3' => EventsOrViewsNotCached::class,
        'L4' => DebugInProduction::class,
        'L5' => EnvironmentAtRuntime::class,
        'L6' => UnoptimizedAutoloader::class,
        'O12' => ClassesNotFound::class,
        'O16' => DevPackagesPreloaded::class,
        'L7' => SessionDriver::class,
        'L8' => CacheStore::class,
        'L9' => SlowQueueConnection::class,
        'L10' => QueueOnOldServer::class,
        'L11' => TimeoutBeyondRetry::class,
        'L12' => RedisQueueDoesNotBlock::class,
        'L13' => LogLevel::class,
        'L14' => TelescopeInProduction::class,
        'L15' => PulseInTheDatabase::class,
        'L16' => LocksBesideTheCache::class,
        'L17' => NoOctane::class,
        'L18' => ManyQueries::class,
        'L19' => SessionIsLocked::class,
        'L20' => CacheStampede::class,
        'L21' => PollingWorkers::class,
        'L22' => UnsupportedLaravel::class,
        'L23' => StopTimeoutTooShort::class,
    ];

    /**
     * @param array<string, class-string<AnyCheck>|AnyCheck> $checks
     *     by id
     * @param array<string, CheckText> $texts those that are not files of the package, by id
     */
    private function __construct(private array $checks, private array $texts = []) {}

    /** The checks of the package, without those of the buffer and of the application's configuration. */
    public static function ofPackage(): self
    {
        return new self(self::CLASSES);
    }

    /** @param ?CheckText $text null if it is a file of the package */
    public function with(string $id, Check|PoolCheck|RedisCheck|NginxCheck $check, ?CheckText $text = null): self
    {
        return new self(
            [...$this->checks, $id => $check],
            $text === null ? $this->texts : [...$this->texts, $id => $text],
        );
    }

    /** @param list<string> $ids unknown ones are left out */
    public function only(array $ids): self
    {
        $chosen = [];

        foreach ($ids as $id) {
            if (isset($this->checks[$id])) {
                $chosen[$id] = $this->checks[$id];
            }
        }

        return new self($chosen, $this->texts);
    }

    /** @return list<string> */
    public function ids(): array
    {
        return array_keys($this->checks);
    }

    public function has(string $id): bool
    {
        return isset($this->checks[$id]);
    }

    /** @throws UnableToReadCheckText */
    public function text(string $id): CheckText
    {
        return $this->texts[$id] ?? CheckText::fromFile(self::TEXTS."/{$id}.md");
    }

    public function check(string $id): Check|PoolCheck|RedisCheck|NginxCheck
    {
        $check = $this->checks[$id];

        return is_string($check) ? new $check : $check;
    }
}
