<?php

declare(strict_types=1);

namespace Headroom\Doctor\Redis\Checks;

use Headroom\Doctor\Application\Application;
use Headroom\Doctor\Check;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fpm\FpmPool;
use Headroom\Doctor\Fpm\FpmPools;
use Headroom\Doctor\Redis\PersistentConnections;
use Headroom\Doctor\Redis\RedisUsage;

/**
 * @internal
 */
final readonly class ConnectPerRequest implements Check
{
    public function examine(Facts $facts): iterable
    {
        $app = $facts->get(Application::class);
        $redis = new RedisUsage($app);

        yield from $redis->clusters();

        if ($redis->inUse() !== []) {
            yield self::ofConnections($app, $redis, $facts);
        } elseif ($redis->clusters() === []) {
            yield Finding::skipped('session, cache and queue do not use Redis');
        }
    }

    private static function ofConnections(Application $app, RedisUsage $redis, Facts $facts): Finding
    {
        $evidence = self::evidence($app, $redis);
        $new = array_values(array_filter(
            $redis->inUse(),
            static fn (string $name): bool => ! $redis->isPersistent($name),
        ));

        return $new === [] ? Finding::pass('requests use open connections to Redis', ...$evidence) : Finding::warn(
            'A request opens '.count($new).' new connection'.(count($new) === 1 ? '' : 's').' to Redis: '
                .implode(', ', $new).'.',
            $evidence,
            'Requests wait for connect() while all CPUs are idle. The more requests at once, the longer they wait.',
            PersistentConnections::fix($app, $redis, $new[0])->with(self::reload($facts, $app)),
        );
    }

    /** @return list<Evidence> */
    private static function evidence(Application $app, RedisUsage $redis): array
    {
        $evidence = [];

        foreach ($redis->used() as $part => $name) {
            $evidence[] = new Evidence($part, "connection {$name} of Redis", "config/{$part}.php");
        }

        foreach ($redis->inUse() as $name) {
            $key = $redis->persistenceKey($name);
            // An option of all connections is shown once.
            $evidence[$key ?? $name] = $key === null
                ? new Evidence("database.redis.{$name}.persistent", 'not set', 'config/database.php')
                : $app->evidence($key);
        }

        return array_values($evidence);
    }

    /** Of several PHP-FPMs the one that serves this application, if that is known. */
    private static function reload(Facts $facts, Application $app): string
    {
        try {
            $pool = $facts->find(FpmPools::class)?->serving($app->basePath);
        } catch (FactUnavailable) {
            $pool = null;
        }

        return $pool?->reload() ?? FpmPool::RELOAD_OF_ANOTHER;
    }
}
