<?php

declare(strict_types=1);

namespace Headroom\Doctor\Redis\Checks;

use Headroom\Doctor\Application\Application;
use Headroom\Doctor\Check;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Redis\RedisUsage;

/**
 * @internal
 */
final readonly class PersistentWithoutDatabase implements Check
{
    public function examine(Facts $facts): iterable
    {
        $app = $facts->get(Application::class);
        $redis = new RedisUsage($app);
        $persistent = array_values(array_filter($redis->all(), $redis->isPersistent(...)));

        return $persistent === [] ? [Finding::skipped('no connection to Redis is persistent')] : array_map(
            static fn (string $name): Finding => self::ofConnection($app, $redis, $name)->about("connection {$name}"),
            $persistent,
        );
    }

    private static function ofConnection(Application $app, RedisUsage $redis, string $name): Finding
    {
        $others = $redis->leavesDatabaseTo($name);
        $evidence = [
            $app->evidence($redis->persistenceKey($name) ?? 'database.redis.options.persistent'),
            ...array_map(
                static fn (string $one): Evidence => $app->evidence("database.redis.{$one}.database"),
                [$name, ...$others],
            ),
        ];

        return $others === []
            ? Finding::pass('the connection names its database, or is the only one at its address', ...$evidence)
            : Finding::fail(
                "The connection '{$name}' names no database, and shares its address with "
                    .(count($others) === 1 ? 'one that does' : 'others that do').': '.implode(', ', $others).'.',
                $evidence,
                $app->fix(["database.redis.{$name}.database" => '0']),
            );
    }
}
