<?php

declare(strict_types=1);

namespace Headroom\Spool\Services;

use Closure;
use Headroom\Sink\SinkFactory;
use Headroom\Spool\Delivery\SinkRegistry;
use Headroom\Spool\Monitoring\Nodes;
use Headroom\Spool\RedisStore\Client\Client;
use Headroom\Spool\RedisStore\Client\RedisFailure;

/**
 * The connections of the application, each opened on first use: a request that only buffers creates no sink.
 *
 * @internal
 */
final class Backends
{
    private ?SinkRegistry $sinks = null;

    private ?Client $client = null;

    /**
     * @param Closure(): SinkFactory $factory
     * @param ?Closure(string): Client $redis a Redis connection by its name in the application's configuration
     * @param ?Closure(?string): Nodes $nodes creates Nodes on a connection, null for the default one; without it there
     *     are no heartbeats
     * @param ?Closure(): void $disconnect closes connections that child processes must not share; null: this process
     *     must not fork
     */
    public function __construct(
        private readonly Closure $factory,
        private readonly ?Closure $redis = null,
        private readonly ?Closure $nodes = null,
        private readonly ?Closure $disconnect = null,
    ) {}

    /** Returns the connections for a second buffer in this process, which sends no heartbeats and does not fork. */
    public function withoutHeartbeats(): self
    {
        return new self($this->factory, $this->redis);
    }

    public function sinks(): SinkRegistry
    {
        return $this->sinks ??= new SinkRegistry(($this->factory)());
    }

    public function hasRedis(): bool
    {
        return $this->redis !== null;
    }

    /** @throws RedisFailure */
    public function redis(string $name): Client
    {
        // One client for all buckets, because each client has a socket.
        return $this->client ??= $this->redis === null
            ? throw RedisFailure::notReached("no connection '{$name}' is set up here")
            : ($this->redis)($name);
    }

    /** @param ?string $connection null means the default one */
    public function nodes(?string $connection): ?Nodes
    {
        return $this->nodes === null ? null : ($this->nodes)($connection);
    }

    public function mayFork(): bool
    {
        return $this->disconnect !== null;
    }

    /** Called on both sides of a fork: two processes that write to one connection corrupt its protocol. */
    public function close(): void
    {
        $this->sinks = null;
        $this->disconnect?->__invoke();
    }
}
