<?php

declare(strict_types=1);

namespace Headroom\Tests\Support\Redis;

use Headroom\Tests\Support\MissingServer;

/**
 * The servers of bin/services, known by HEADROOM_REDIS_PORT and HEADROOM_REDIS_CLUSTER_NODES.
 */
final readonly class SharedRedis
{
    public static function port(): int
    {
        return (int) self::variable('HEADROOM_REDIS_PORT', 'redis');
    }

    /** @return non-empty-list<string> host:port of each node */
    public static function clusterNodes(): array
    {
        return explode(',', self::variable('HEADROOM_REDIS_CLUSTER_NODES', 'redis-cluster'));
    }

    private static function variable(string $name, string $server): string
    {
        $value = getenv($name);

        return $value === false
            ? MissingServer::named(
                $server,
                "{$name} is not set, so no {$server} to test on: bin/services run {$server} -- <this command>.",
            )
            : $value;
    }
}
