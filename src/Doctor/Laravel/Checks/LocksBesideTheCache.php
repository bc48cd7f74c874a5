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
            return yield Finding::skipped('the cache is not in Redis');
        }

        $connection = $app->text("cache.stores.{$store}.connection", 'default');
        $locks = $app->text("cache.stores.{$store}.lock_connection");
        $redis = new RedisUsage($app);
        $isApart = $locks !== '' && (
            $redis->place($locks) !== $redis->place($connection)
            || $redis->database($locks) !== $redis->database($connection)
        );
        $evidence = [
            $app->evidence("cache.stores.{$store}.connection"),
            $app->evidence("cache.stores.{$store}.lock_connection"),
            $app->evidence("database.redis.{$connection}.database"),
            $locks === '' ? null : $app->evidence("database.redis.{$locks}.database"),
        ];

        yield $isApart ? Finding::pass('locks have a database of their own', ...$evidence) : Finding::warn(
            "The locks of the store '{$store}' are in the database of its values.",
            $evidence,
            new Fix(
                "Set 'lock_connection' of the store '{$store}' in {$app->file('cache')} to a connection with another"
                    ." database, such as 'default'.",
                commands: $app->recache(),
                rollback: 'Remove the setting, then run the same commands.',
            ),
        );
    }
}
