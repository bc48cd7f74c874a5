<?php

declare(strict_types=1);

namespace Headroom\Doctor\Redis;

use Headroom\Doctor\Application\Application;
use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Finding;
use Headroom\Doctor\NotApplicable;

/**
 * The parts of an application that use Redis in a request, and their connections.
 *
 * @internal
 */
final readonly class RedisUsage
{
    public const NONE = 'session, cache and queue do not use Redis';

    /** Keys of the section database.redis that are not connections. */
    private const OTHER = ['client', 'options', 'clusters'];

    public function __construct(private Application $app) {}

    /** @return int connections that a PHP process may hold to this server at once; 0 without an application */
    public static function connectionsTo(RedisServer $server, Facts $facts): int
    {
        try {
            $used = (new self($facts->get(Application::class)))->used();
        } catch (NotApplicable|FactUnavailable) {
            return 0;
        }

        return count(array_unique(array_intersect_key($used, array_flip($server->uses))));
    }

    public function client(): string
    {
        return $this->app->text('database.redis.client', 'phpredis');
    }

    /** @return list<string> */
    public function all(): array
    {
        return array_values(array_filter(
            $this->app->keys('database.redis'),
            fn (string $name): bool => ! in_array($name, self::OTHER, true)
                && is_array($this->app->value("database.redis.{$name}")),
        ));
    }

    /** @return array<string, string> the connection by what uses it: session, cache, queue */
    public function used(): array
    {
        $used = [];

        if ($this->app->text('session.driver') === 'redis') {
            $used['session'] = $this->app->text('session.connection', 'default');
        }

        $store = $this->app->text('cache.default');

        if ($this->app->text("cache.stores.{$store}.driver") === 'redis') {
            $used['cache'] = $this->app->text("cache.stores.{$store}.connection", 'default');
        }

        $queue = $this->app->text('queue.default');

        if ($this->app->text("queue.connections.{$queue}.driver") === 'redis') {
            $used['queue'] = $this->app->text("queue.connections.{$queue}.connection", 'default');
        }

        return $used;
    }

    /**
     * @return list<string> those that session and the stores of the cache use once they use Redis; queues have theirs
     */
    public function inReserve(): array
    {
        $names = [$this->app->text('session.connection', 'default')];

        foreach ($this->app->keys('cache.stores') as $store) {
            if ($this->app->text("cache.stores.{$store}.driver") === 'redis') {
                $names[] = $this->app->text("cache.stores.{$store}.connection", 'default');
            }
        }

        return $names;
    }

    /** @return list<string> those in use, each once; without clusters */
    public function inUse(): array
    {
        $names = array_filter(
            array_unique(array_values($this->used())),
            fn (string $name): bool => ! $this->isCluster($name),
        );
        sort($names);

        return $names;
    }

    /**
     * @return list<string> those in use, each once; none if clusters are
     *
     * @throws NotApplicable
     */
    public function connections(): array
    {
        $names = $this->inUse();

        return $names === [] && $this->unread() === [] ? throw NotApplicable::of(self::NONE) : $names;
    }

    /** @return list<Finding> of clusters in use, which have nodes instead of an address, and options of their own */
    public function clusters(): array
    {
        $findings = [];

        foreach ($this->unread() as $name => $why) {
            $findings[] = Finding::unavailable($why)->about($name);
        }

        return $findings;
    }

    /** @return array<string, FactUnavailable> why a cluster in use is not looked at, by its name */
    public function unread(): array
    {
        $unread = [];

        foreach (array_filter(array_unique($this->used()), $this->isCluster(...)) as $name) {
            $unread["cluster {$name}"] = FactUnavailable::because(
                "The connection '{$name}' is a cluster, which the doctor does not examine.",
                'artisan config:show database.redis.clusters',
            );
        }

        return $unread;
    }

    private function isCluster(string $name): bool
    {
        return ! is_array($this->app->value("database.redis.{$name}"))
            && is_array($this->app->value("database.redis.clusters.{$name}"));
    }

    /**
     * The key that decides about persistence, as Laravel's connector merges it: an option of the connection, then
     * one of all connections, and only then the connection itself. So `persistent` of a connection has no effect if the
     * options have REDIS_PERSISTENT, as in new applications.
     *
     * @return ?string a key of the configuration; null if it is not set
     */
    public function persistenceKey(string $name): ?string
    {
        foreach ([
            "database.redis.{$name}.options.persistent",
            'database.redis.options.persistent',
            "database.redis.{$name}.persistent",
        ] as $key) {
            if ($this->app->has($key)) {
                return $key;
            }
        }

        return null;
    }

    public function isPersistent(string $name): bool
    {
        $key = $this->persistenceKey($name);

        return $key !== null && $this->app->isOn($key);
    }

    /** A new connection is in database 0. */
    public function database(string $name): string
    {
        return $this->app->text("database.redis.{$name}.database", '0');
    }

    /**
     * @return list<string> connections of the same address that name their database: a persistent one may stay in it
     */
    public function leavesDatabaseTo(string $name): array
    {
        return $this->app->value("database.redis.{$name}.database") !== null ? [] : array_values(array_filter(
            $this->all(),
            fn (string $other): bool => $other !== $name && $this->place($other) === $this->place($name)
                && $this->app->value("database.redis.{$other}.database") !== null,
        ));
    }

    /** The address; connections to one address share PHP's pool of persistent connections. */
    public function place(string $name): string
    {
        $url = $this->app->text("database.redis.{$name}.url");

        return $url !== ''
            ? $url
            : "{$this->app->text("database.redis.{$name}.host")}:{$this->app->text("database.redis.{$name}.port")}";
    }
}
