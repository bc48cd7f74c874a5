<?php

declare(strict_types=1);

namespace Headroom\Laravel\Database;

use Illuminate\Container\Container;
use Illuminate\Contracts\Config\Repository;
use Illuminate\Contracts\Foundation\Application;
use Illuminate\Database\DatabaseManager;
use Illuminate\Log\LogManager;
use Illuminate\Redis\RedisManager;
use Illuminate\Support\Facades\Facade;
use PDO;

/**
 * Closes connections that a booted application may have open, and that forked processes must not share.
 *
 * @internal
 */
final readonly class OpenConnections
{
    public function __construct(private Application $app) {}

    public function close(): void
    {
        $this->closeDatabases();
        $this->closeRedis();
        $this->closeLogs();

        // A cache store may hold a socket of its own.
        foreach (['cache', 'cache.store', 'memcached.connector'] as $name) {
            if ($this->app instanceof Container && $this->app->resolved($name)) {
                $this->app->forgetInstance($name);
                Facade::clearResolvedInstance($name);
            }
        }
    }

    private function closeDatabases(): void
    {
        $databases = $this->resolved('db');
        $config = $this->app->make(Repository::class);

        // PHP keeps a persistent connection open, and the next process that requests it would get the shared socket.
        foreach (array_keys((array) $config->get('database.connections', [])) as $name) {
            if ($config->get("database.connections.{$name}.options.".PDO::ATTR_PERSISTENT) !== null) {
                $config->set("database.connections.{$name}.options.".PDO::ATTR_PERSISTENT, false);
            }
        }

        if ($databases instanceof DatabaseManager) {
            array_map($databases->purge(...), self::names($databases->getConnections()));
        }
    }

    private function closeRedis(): void
    {
        $redis = $this->resolved('redis');

        if ($redis instanceof RedisManager) {
            array_map($redis->purge(...), self::names($redis->connections()));
        }
    }

    private function closeLogs(): void
    {
        $logs = $this->resolved('log');

        if ($logs instanceof LogManager) {
            array_map($logs->forgetChannel(...), self::names($logs->getChannels()));
        }
    }

    /**
     * @param mixed $made connections by name; null if none was made
     * @return list<string>
     */
    private static function names(mixed $made): array
    {
        return is_array($made) ? array_map(strval(...), array_keys($made)) : [];
    }

    private function resolved(string $name): mixed
    {
        return $this->app->resolved($name) ? $this->app->make($name) : null;
    }
}
