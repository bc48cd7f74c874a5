<?php

declare(strict_types=1);

namespace Headroom\Spool;

use Closure;
use Headroom\Core\Checkpoint;
use Headroom\Core\Clock;
use Headroom\Core\HeadroomException;
use Headroom\Core\InvalidConfig;
use Headroom\Core\Position;
use Headroom\Core\SystemClock;
use Headroom\Sink\SinkFactory;
use Headroom\Sink\Source;
use Headroom\Spool\Events\BufferRefused;
use Headroom\Spool\File\Cleaner;
use Headroom\Spool\File\FileStore;
use Headroom\Spool\File\LetterDesk;
use Headroom\Spool\File\Peek;
use Headroom\Spool\File\Permissions;
use Headroom\Spool\File\RestartFile;
use Headroom\Spool\File\Slots;
use Headroom\Spool\Flush\Flusher;
use Headroom\Spool\Redis\Client;
use Headroom\Spool\Redis\RedisDesk;
use Headroom\Spool\Redis\RedisFailure;
use Headroom\Spool\Redis\RedisPeek;
use Headroom\Spool\Redis\RedisStore;
use Headroom\Spool\Redis\RedisVerifier;
use Headroom\Spool\Redis\RedisWriter;
use Headroom\Spool\Refusal\Bypass;
use Headroom\Spool\Refusal\DirectDelivery;
use Headroom\Spool\Refusal\Incidents;
use Headroom\Spool\Refusal\Refusals;
use Headroom\Spool\Verify\BucketVerifier;
use Headroom\Spool\Verify\Verifier;
use Psr\Log\LoggerInterface;
use Psr\Log\NullLogger;
use Throwable;

/**
 * Puts the buffer's parts together, each when it is first asked for: a console that lists its commands must not read a
 * configuration that may be wrong, and a request that only buffers makes no sink.
 *
 * @internal
 */
final class Runtime
{
    private ?SpoolConfig $config = null;

    private ?FileStore $store = null;

    private ?Stores $stores = null;

    private ?Client $client = null;

    private ?Sinks $sinks = null;

    private ?Buffer $buffer = null;

    private ?Refusals $refusals = null;

    private ?Incidents $incidents = null;

    /**
     * @param Closure(): SpoolConfig $read
     * @param Closure(): SinkFactory $factory
     * @param ?Clock $clock null is the system's
     * @param ?Closure(): Buffer $shared the one that the rest of this process writes to
     * @param ?Closure(): LoggerInterface $logger what a scheduled flush prints is read by nobody
     * @param ?Closure(BufferRefused): void $dispatch to the application's listeners
     * @param ?Closure(): void $disconnect closes what this process has open and its children must not share; null: it must not fork
     * @param ?Closure(): bool $resting the application asks that nothing be done in the background for now
     * @param ?Closure(?string): Nodes $nodes on a connection, null for the default one; without it there are no heartbeats
     * @param ?Closure(string): Client $redis a Redis connection by its name in the application's configuration
     */
    public function __construct(
        private readonly Closure $read,
        private readonly Closure $factory,
        private ?Clock $clock = null,
        private readonly ?Closure $shared = null,
        private readonly ?Closure $logger = null,
        private readonly ?Closure $dispatch = null,
        private readonly ?Closure $disconnect = null,
        private readonly ?Closure $resting = null,
        private readonly ?Closure $nodes = null,
        private readonly ?Closure $redis = null,
        private readonly ?Checkpoint $checkpoint = null,
    ) {}

    /**
     * All of it checked, as commands need it.
     *
     * @throws InvalidConfig
     */
    public function config(): SpoolConfig
    {
        if ($this->config === null) {
            $config = $this->settings();
            $config->check();
            $this->config = $config;
        }

        return $this->config;
    }

    /** Unchecked, as a request reads it. */
    public function settings(): SpoolConfig
    {
        return ($this->read)();
    }

    public function clock(): Clock
    {
        return $this->clock ??= new SystemClock;
    }

    public function store(): FileStore
    {
        return $this->store ??= new FileStore($this->config()->path, Permissions::of($this->config()), $this->clock(), $this->buffer(), config: $this->config());
    }

    /** Those of the buckets that are not on this disk, too. */
    public function stores(): Stores
    {
        return $this->stores ??= new Stores($this->store(), $this->config(), $this->redis === null ? null : fn (FileStore $disk): RedisStore => new RedisStore($this->client($this->config()), $disk, $this->config(), $this->clock(), $this->checkpoint, $this->deliveredFromDisk(...)));
    }

    public function buffer(): Buffer
    {
        // Of the shared one no longer than for this call: a test may put a fake in its place.
        return $this->shared === null ? $this->buffer ??= Buffer::onDisk($this->config(), $this->clock, $this->checkpoint, $this->detours(...), $this->redisWriter(...)) : ($this->shared)();
    }

    /** @param ?Closure(Closure(): void, ?string): void $defer */
    public function detours(?Closure $defer = null): Detours
    {
        return new Detours($this->refused(...), $this->deliver(...), $defer);
    }

    /** The writing end of a bucket in Redis. */
    public function redisWriter(string $bucket): Writer
    {
        // Unchecked, like a request's own.
        $config = $this->settings();

        return new RedisWriter(
            $config,
            $bucket,
            fn (): Client => $this->client($config),
            fn (): Writer => new Slots($config, $bucket, $this->clock, $this->checkpoint),
            fn (UnableToAppend $why, int $count) => $this->incidents()->note($bucket, $why, RefusalOutcome::OnDisk, $count),
            $this->clock(),
        );
    }

    /**
     * Of a bucket that is in Redis now.
     *
     * @throws UnableToFlush it can not be known
     */
    private function deliveredFromDisk(string $bucket): ?Position
    {
        $ledger = new LedgerReader($this->sinks(), $this->config()->bucket($bucket), new Source($this->store()->node(), $bucket));
        $progress = $ledger->progress();

        return $ledger->error === null ? $progress?->position : throw UnableToFlush::ledgerUnknown($bucket, $ledger->error);
    }

    private function client(SpoolConfig $config): Client
    {
        // One for all buckets: each has a socket.
        return $this->client ??= $this->redis === null ? throw RedisFailure::notReached("no connection '{$config->redis()->connection}' is set up here") : ($this->redis)($config->redis()->connection);
    }

    /**
     * What a Buffer calls when an append could not be made.
     *
     * @param int<1, max> $count
     *
     * @throws UnableToAppend
     */
    public function refused(string $bucket, UnableToAppend $refusal, string $payload, int $count): void
    {
        // Unchecked, like a request's own: a mistake elsewhere is none of its business.
        $this->refusals ??= new Refusals($this->settings(), new DirectDelivery($this->sinks(), $this->clock()), $this->incidents());
        $this->refusals->settle($bucket, $refusal, $payload, $count);
    }

    /**
     * What a Buffer calls for events that are to go past it.
     *
     * @param int<1, max> $count
     *
     * @throws UnableToAppend
     */
    public function deliver(string $bucket, string $payload, int $count): void
    {
        (new Bypass($this->settings(), new DirectDelivery($this->sinks(), $this->clock()), $this->clock()))->deliver($bucket, $payload, $count);
    }

    public function incidents(): Incidents
    {
        return $this->incidents ??= new Incidents($this->settings(), $this->clock(), $this->logger(...), $this->dispatch);
    }

    public function sinks(): Sinks
    {
        return $this->sinks ??= new Sinks(($this->factory)());
    }

    public function flusher(): Flusher
    {
        return new Flusher($this->stores(), $this->sinks(), $this->config(), $this->clock());
    }

    public function status(): SpoolStatus
    {
        return $this->statusReader()->read();
    }

    /** Without what is in Redis. */
    public function statusOfDisk(): SpoolStatus
    {
        return $this->statusReader()->ofDisk();
    }

    private function statusReader(): StatusReader
    {
        return new StatusReader($this->stores(), $this->sinks(), $this->config(), $this->clock());
    }

    public function cleaner(string $bucket): Cleaner
    {
        $isSynced = $this->config()->bucket($bucket)?->durability->isSynced() ?? false;

        return new Cleaner($this->store()->layout($bucket), $this->store()->permissions, $this->clock(), $isSynced);
    }

    public function health(): Health
    {
        return new Health($this);
    }

    public function restarts(): RestartFile
    {
        return new RestartFile($this->store()->root, $this->store()->permissions);
    }

    public function mayFork(): bool
    {
        return $this->disconnect !== null;
    }

    /** On both sides of a fork: two processes that write to one connection ruin it. */
    public function disconnect(): void
    {
        $this->sinks = null;
        $this->disconnect?->__invoke();
    }

    /** Null when there are to be no heartbeats. */
    public function nodes(): ?Nodes
    {
        $on = $this->config()->heartbeats();

        return $this->nodes === null || $on === false ? null : ($this->nodes)($on === true ? null : $on);
    }

    /** Never an obstacle: what is asked may be a cache that is down. */
    public function isResting(): bool
    {
        try {
            return $this->resting !== null && ($this->resting)();
        } catch (Throwable) {
            return false;
        }
    }

    public function logger(): LoggerInterface
    {
        return $this->logger === null ? new NullLogger : ($this->logger)();
    }

    /** The same configuration and the same sinks for a buffer that lies elsewhere: a dead machine's. */
    public function at(string $root): self
    {
        return new self(fn (): SpoolConfig => $this->config()->at($root), $this->factory, $this->clock, logger: $this->logger, redis: $this->redis);
    }

    /** The same with all buckets in Redis. */
    public function onRedis(): self
    {
        return new self(fn (): SpoolConfig => $this->settings()->onRedis(), $this->factory, $this->clock, logger: $this->logger, dispatch: $this->dispatch, redis: $this->redis, checkpoint: $this->checkpoint);
    }

    public function ledger(string $bucket): LedgerReader
    {
        $redis = $this->stores()->redis($bucket);

        return new LedgerReader($this->sinks(), $this->config()->bucket($bucket), new Source($redis === null ? $this->store()->node() : $redis->meta($bucket)->node, $bucket));
    }

    public function peek(string $bucket): EventViewer
    {
        $codec = new Codec($this->config()->bucket($bucket)?->utf8);
        $redis = $this->stores()->redis($bucket);

        if ($redis !== null && Permissions::isAbsent($this->store()->layout($bucket)->directory)) {
            return new RedisPeek($redis, $bucket, $codec, null);
        }

        $disk = new Peek($this->store()->layout($bucket), $this->store()->permissions, $this->clock(), $codec, new Source($this->store()->node(), $bucket));

        return $redis === null ? $disk : new RedisPeek($redis, $bucket, $codec, $disk);
    }

    public function letters(string $bucket): Letters
    {
        $redis = $this->stores()->redis($bucket);

        $disk = new LetterDesk($this->store(), $bucket, $this->clock());

        return $redis === null ? $disk : new RedisDesk($redis, $bucket, $this->clock(), Permissions::isAbsent($this->store()->layout($bucket)->directory) ? null : $disk);
    }

    public function verifier(string $bucket): BucketVerifier
    {
        $redis = $this->stores()->redis($bucket);
        $disk = new Verifier($this->store(), $this->clock());

        return $redis === null ? $disk : new RedisVerifier($redis->client, $this->store(), $disk, new LedgerReader($this->sinks(), null, new Source('', $bucket)));
    }

    /**
     * Nobody has written to it yet. A command that finds so must leave it at that: a scheduler that runs as another
     * user than the requests would otherwise make the directories, and shut the requests out.
     *
     * @param ?string $bucket null asks for the whole buffer
     */
    public function isUntouched(?string $bucket = null): bool
    {
        try {
            return $bucket === null ? $this->store()->isUntouched() : $this->stores()->isUntouched($bucket);
        } catch (HeadroomException) {
            // Whoever goes on meets the same obstacle and has the words for it.
            return false;
        }
    }
}
