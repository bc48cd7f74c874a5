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
use Headroom\Support\TerminalText;

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

        $used = $redis->connections();
        $evidence = self::evidence($app, $redis);
        $new = array_values(array_filter($used, static fn (string $name): bool => ! $redis->isPersistent($name)));

        if ($used === []) {
            return;
        }

        yield $new === [] ? Finding::pass('requests use open connections to Redis', ...$evidence) : Finding::warn(
            'A request opens '.TerminalText::count(count($new), 'new connection').' to Redis: '.implode(', ', $new).'.',
            $evidence,
            PersistentConnections::fix($app, $redis, $new[0])->with(commands: [self::reload($facts, $app)]),
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
