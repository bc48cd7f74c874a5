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
 * What the application is connected to, each connected when it is first asked for:
 * a request that only buffers makes no sink.
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
     * @param ?Closure(?string): Nodes $nodes on a connection, null for the default one;
     *     without it there are no heartbeats
     * @param ?Closure(): void $disconnect closes what this process has open and its children must not share; null:
     *     it must not fork
     */
    public function __construct(
        private readonly Closure $factory,
        private readonly ?Closure $redis = null,
        private readonly ?Closure $nodes = null,
        private readonly ?Closure $disconnect = null,
    ) {}

    /** For a second buffer in this process: it beats no heart and does not fork. */
    public function lent(): self
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
        // One for all buckets: each has a socket.
        return $this->client ??= $this->redis === null
            ? throw RedisFailure::notReached("no connection '{$name}' is set up here")
            : ($this->redis)($name);
    }

    /** @param ?string $connection null is the default one */
    public function nodes(?string $connection): ?Nodes
    {
        return $this->nodes === null ? null : ($this->nodes)($connection);
    }

    public function mayFork(): bool
    {
        return $this->disconnect !== null;
    }

    /** On both sides of a fork: two processes that write to one connection ruin it. */
    public function close(): void
    {
        $this->sinks = null;
        $this->disconnect?->__invoke();
    }
}
