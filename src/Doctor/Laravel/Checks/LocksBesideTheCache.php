<?php

declare(strict_types=1);

namespace Headroom\Doctor\Laravel\Checks;

use Headroom\Doctor\Application\Application;
use Headroom\Doctor\Check;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Redis\RedisUsage;

/**
 * @internal
 */
final readonly class LocksBesideTheCache implements Check
{
    public function examine(Facts $facts): iterable
    {
        $app = $facts->get(Application::class);
        $store = $app->text('cache.default');

        if ($app->text("cache.stores.{$store}.driver") !== 'redis') {
            return [Finding::skipped('the cache is not in Redis')];
        }

        $connection = $app->text("cache.stores.{$store}.connection");
        $connection = $connection === '' ? 'default' : $connection;
        $locks = $app->text("cache.stores.{$store}.lock_connection");
        $redis = new RedisUsage($app);
        $evidence = [
            $app->evidence("cache.stores.{$store}.connection"),
            $app->evidence("cache.stores.{$store}.lock_connection"),
            $app->evidence("database.redis.{$connection}.database"),
            ...($locks === '' ? [] : [$app->evidence("database.redis.{$locks}.database")]),
        ];
        $isApart = $locks !== '' && (
            $redis->place($locks) !== $redis->place($connection)
            || $redis->database($locks) !== $redis->database($connection)
        );

        return [$isApart ? Finding::pass('locks are kept apart', ...$evidence) : Finding::warn(
            "Locks of the store '{$store}' are where its values are.",
            $evidence,
            '`cache:clear`, in a deploy for example, lets two processes hold the same lock.',
            new Fix(
                "Set 'lock_connection' of the store '{$store}' in {$app->file('cache')} to a connection with another"
                    ." database, such as 'default'.",
                [],
                $app->recache(),
                'Take it back.',
            ),
        )];
    }
}
