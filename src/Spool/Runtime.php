<?php

declare(strict_types=1);

namespace Headroom\Spool;

use Closure;
use Headroom\Core\Clock;
use Headroom\Core\HeadroomException;
use Headroom\Core\InvalidConfig;
use Headroom\Core\SystemClock;
use Headroom\Sink\SinkFactory;
use Headroom\Sink\Source;
use Headroom\Spool\Events\BufferRefused;
use Headroom\Spool\File\Cleaner;
use Headroom\Spool\File\FileStore;
use Headroom\Spool\File\Peek;
use Headroom\Spool\File\Permissions;
use Headroom\Spool\File\RestartFile;
use Headroom\Spool\Flush\Flusher;
use Headroom\Spool\Refusal\Bypass;
use Headroom\Spool\Refusal\Handover;
use Headroom\Spool\Refusal\Incidents;
use Headroom\Spool\Refusal\Refusals;
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
    ) {}

    /**
     * All of it checked, as commands need it.
     *
     * @throws InvalidConfig
     */
    public function config(): SpoolConfig
    {
        if ($this->config === null) {
            $config = ($this->read)();
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

    public function buffer(): Buffer
    {
        return $this->buffer ??= $this->shared === null ? Buffer::onDisk($this->config(), $this->clock, detours: $this->detours(...)) : ($this->shared)();
    }

    /** @param ?Closure(Closure(): void, ?string): void $defer */
    public function detours(?Closure $defer = null): Detours
    {
        return new Detours($this->refused(...), $this->deliver(...), $defer);
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
        $this->refusals ??= new Refusals(($this->read)(), new Handover($this->sinks(), $this->clock()), $this->incidents());
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
        (new Bypass(($this->read)(), new Handover($this->sinks(), $this->clock()), $this->clock()))->deliver($bucket, $payload, $count);
    }

    public function incidents(): Incidents
    {
        return $this->incidents ??= new Incidents(($this->read)(), $this->clock(), $this->logger(...), $this->dispatch);
    }

    public function sinks(): Sinks
    {
        return $this->sinks ??= new Sinks(($this->factory)());
    }

    public function flusher(): Flusher
    {
        return new Flusher($this->store(), $this->sinks(), $this->config(), $this->clock());
    }

    public function status(): SpoolStatus
    {
        return (new StatusReader($this->store(), $this->sinks(), $this->config(), $this->clock()))->read();
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
        return new self(fn (): SpoolConfig => $this->config()->at($root), $this->factory, $this->clock, logger: $this->logger);
    }

    public function ledger(string $bucket): LedgerReader
    {
        return new LedgerReader($this->sinks(), $this->config()->bucket($bucket), new Source($this->store()->node(), $bucket));
    }

    public function peek(string $bucket): Peek
    {
        $codec = new Codec($this->config()->bucket($bucket)?->utf8);

        return new Peek($this->store()->layout($bucket), $this->store()->permissions, $this->clock(), $codec, new Source($this->store()->node(), $bucket));
    }

    public function verifier(): Verifier
    {
        return new Verifier($this->store(), $this->clock());
    }

    /**
     * Nobody has written to it yet. A command that finds so must leave it at that: a scheduler that runs as another
     * user than the requests would otherwise make the directories, and shut the requests out.
     *
     * @param ?string $bucket null asks for the whole buffer
     */
    public function isUntouched(?string $bucket = null): bool
    {
        $store = $this->store();

        if ($store->isUntouched()) {
            return true;
        }

        try {
            return $bucket !== null && Permissions::isAbsent($store->layout($bucket)->directory);
        } catch (HeadroomException) {
            // Whoever goes on meets the same obstacle and has the words for it.
            return false;
        }
    }
}
