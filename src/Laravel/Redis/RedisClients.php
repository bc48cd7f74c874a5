<?php

declare(strict_types=1);

namespace Headroom\Laravel\Redis;

use Headroom\Spool\RedisStore\Client\Client;
use Headroom\Spool\RedisStore\Client\Cluster;
use Headroom\Spool\RedisStore\Client\Connection;
use Headroom\Spool\RedisStore\Client\PhpRedisNode;
use Headroom\Spool\RedisStore\Client\PredisNode;
use Headroom\Spool\RedisStore\Client\ReconnectingClient;
use Headroom\Support\InvalidConfig;
use Illuminate\Contracts\Config\Repository;
use Illuminate\Contracts\Foundation\Application;
use Illuminate\Redis\RedisManager;
use Illuminate\Support\ConfigurationUrlParser;

/**
 * Opens connections with the settings of config/database.php under "redis". They are separate from the application's
 * connections, which may have an open transaction, a pipeline or an unread reply.
 *
 * @internal
 */
final readonly class RedisClients
{
    private const PATIENCE_SECONDS = 1.0;

    public function __construct(private Application $app, private Repository $config) {}

    /**
     * Connects at the first command.
     *
     * @throws InvalidConfig
     */
    public function client(string $name): Client
    {
        $redis = self::strings($this->config->get('database.redis'));
        $driver = $redis['client'] ?? 'phpredis';
        $version = PHP_MAJOR_VERSION.'.'.PHP_MINOR_VERSION;

        match (true) {
            $driver === 'phpredis' => PhpRedisNode::isInstalled() ? true : throw InvalidConfig::notAllowed(
                'database.redis.client',
                $driver,
                "predis where the PHP extension redis is not loaded. Install it: apt-get install php{$version}-redis",
            ),
            $driver === 'predis' => PredisNode::isInstalled()
                ? true
                : throw InvalidConfig::notAllowed(
                    'database.redis.client',
                    $driver,
                    'phpredis where Predis is not installed. Install it: composer require predis/predis',
                ),
            default => throw InvalidConfig::notAllowed(
                'database.redis.client',
                $driver,
                'phpredis or predis for the Redis store',
            ),
        };

        $clusters = self::strings($redis['clusters'] ?? []);
        $options = self::strings($redis['options'] ?? []);

        if (is_array($redis[$name] ?? null) && ! in_array($name, ['options', 'clusters'], true)) {
            $settings = self::parsed($redis[$name]);

            return new ReconnectingClient(fn (): Connection => $this->open($driver, $name, $settings, $options));
        }

        if (is_array($clusters[$name] ?? null) && $name !== 'options') {
            return $this->cluster($driver, $name, self::strings($clusters[$name]), [
                ...$options, ...self::strings($clusters['options'] ?? []),
            ]);
        }

        throw InvalidConfig::notAllowed(
            'spool.redis.connection',
            $name,
            'a connection or a cluster under redis in config/database.php',
        );
    }

    /**
     * @param array<string, mixed> $seeds may contain "options"
     * @param array<string, mixed> $options
     */
    private function cluster(string $driver, string $name, array $seeds, array $options): Client
    {
        $options = [...$options, ...self::strings($seeds['options'] ?? [])];
        unset($seeds['options']);

        // The class RedisCluster, which is not used, takes the context as it is; the class Redis expects it under
        // "stream".
        if ($driver === 'phpredis' && is_array($options['context'] ?? null) && ! isset($options['context']['stream'])) {
            $options['context'] = ['stream' => $options['context']];
        }

        $nodes = [];

        foreach ($seeds as $seed) {
            $settings = self::parsed($seed);
            $host = $settings['host'] ?? null;
            $port = $settings['port'] ?? 6379;

            if (is_string($host) && str_starts_with($host, 'tls://')) {
                // The nodes that these seeds name are reached with the same scheme.
                [$settings['scheme'], $host] = ['tls', substr($host, 6)];
            }

            if (is_string($host) && is_numeric($port)) {
                // A cluster has one database and rejects SELECT.
                unset($settings['database']);
                $nodes["{$host}:{$port}"] = ['host' => $host] + $settings;
            }
        }

        if ($nodes === []) {
            throw InvalidConfig::notAllowed(
                "database.redis.clusters.{$name}",
                $seeds,
                'a list of nodes with host and port',
            );
        }

        $first = array_values($nodes)[0];
        $open = fn (string $host, int $port): Connection => $this->open(
            $driver,
            $name,
            ['host' => $host, 'port' => $port] + ($nodes["{$host}:{$port}"] ?? $first),
            $options,
        );

        return new ReconnectingClient(static fn (): Connection => Cluster::open(array_keys($nodes), $open));
    }

    /**
     * @param array<string, mixed> $settings
     * @param array<string, mixed> $options
     */
    private function open(string $driver, string $name, array $settings, array $options): Connection
    {
        $own = self::strings($settings['options'] ?? []);
        $asked = $own['persistent'] ?? $options['persistent'] ?? $settings['persistent'] ?? false;
        // On the command line a fork could get its parent's socket from the pool. Predis has no pool: every user of the
        // process shares one socket, with the replies that others left unread.
        $persistent = (bool) $asked && $driver === 'phpredis' && PHP_SAPI !== 'cli';
        foreach (['timeout', 'read_timeout', 'read_write_timeout'] as $limit) {
            // Listeners disable the timeout, but a request needs one.
            $settings[$limit] = is_numeric($settings[$limit] ?? null) && $settings[$limit] > 0
                ? $settings[$limit]
                : self::PATIENCE_SECONDS;
        }

        $kept = ['persistent' => $persistent, 'persistent_id' => "headroom-{$name}"];
        $settings = [...$settings, ...$kept, 'options' => [...$own, ...($driver === 'phpredis' ? $kept : [])]];
        $manager = new RedisManager($this->app, $driver, ['options' => $options, 'own' => $settings]);

        return $driver === 'phpredis'
            ? PhpRedisNode::open(static fn (): mixed => $manager->resolve('own')->client())
            : PredisNode::open(static fn (): mixed => $manager->resolve('own')->client());
    }

    /** @return array<string, mixed> */
    private static function parsed(mixed $settings): array
    {
        $settings = is_string($settings) ? $settings : self::strings($settings);

        return self::strings((new ConfigurationUrlParser)->parseConfiguration($settings));
    }

    /** @return array<string, mixed> */
    private static function strings(mixed $settings): array
    {
        $found = [];

        foreach (is_array($settings) ? $settings : [] as $key => $value) {
            $found[(string) $key] = $value;
        }

        return $found;
    }
}
