<?php

declare(strict_types=1);

namespace Headroom\Bench\Queues\Worker;

use Illuminate\Container\Container as Concrete;
use Illuminate\Contracts\Config\Repository;
use Illuminate\Contracts\Container\Container;

/**
 * Configuration that changes while the application runs.
 *
 * @internal
 */
final readonly class TemporaryConfig
{
    /** @param array<string, mixed> $config by keys with dots */
    public static function apply(Container $app, array $config): void
    {
        $app->make(Repository::class)->set($config);
        $hasRedis = array_filter(
            array_keys($config),
            static fn (string $key): bool => str_starts_with($key, 'database.redis.'),
        ) !== [];

        // A manager reads its connections when it is created, which a provider or an earlier row may have done.
        if ($hasRedis && $app instanceof Concrete) {
            $app->forgetInstance('redis');
        }
    }

    /**
     * A copy of a Redis connection, or of a cluster, under another name.
     * @param array<string, mixed> $changes
     * @return array<string, mixed> by keys with dots
     */
    public static function ofRedis(Repository $config, string $connection, string $name, array $changes): array
    {
        $single = $config->get("database.redis.{$connection}");

        if ($single !== null) {
            return ["database.redis.{$name}" => self::changed($single, $changes)];
        }

        $cluster = (array) $config->get("database.redis.clusters.{$connection}", []);
        $own = (array) ($cluster['options'] ?? []);
        unset($cluster['options']);
        $nodes = array_map(static fn (mixed $node): array => self::changed($node, $changes), $cluster);

        // phpredis reads it from the options of all nodes, Predis from each node and from the options of later nodes.
        return ["database.redis.clusters.{$name}" => [
            ...$nodes,
            'options' => [...$own, ...$changes, 'parameters' => [...(array) ($own['parameters'] ?? []), ...$changes]],
        ]];
    }

    /**
     * @param array<string, mixed> $changes
     * @return array<array-key, mixed>
     */
    private static function changed(mixed $connection, array $changes): array
    {
        $own = is_array($connection) ? $connection : ['url' => $connection];

        // With phpredis, the options of all connections override a connection's settings, and its own options
        // override these.
        return [...$own, ...$changes, 'options' => [...(array) ($own['options'] ?? []), ...$changes]];
    }
}
