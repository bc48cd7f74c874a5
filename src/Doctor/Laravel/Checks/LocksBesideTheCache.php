<?php

declare(strict_types=1);

namespace Headroom\Doctor\Laravel\Checks;

use Headroom\Doctor\Application\Application;
use Headroom\Doctor\Check;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Layer;
use Headroom\Doctor\Redis\RedisUsage;
use Headroom\Doctor\Rule;
use Headroom\Doctor\Severity;

/**
 * @internal
 */
final readonly class LocksBesideTheCache implements Check
{
    public function rule(): Rule
    {
        return new Rule(
            'L16',
            'Clearing the cache takes locks away',
            Severity::Medium,
            Layer::Laravel,
            'Locks, of scheduled commands, unique jobs and Cache::lock(), are kept by the connection of the cache'
                .' unless `lock_connection` names another one. php artisan cache:clear empties its database,'
                .' locks among it: a command runs twice, and a job that was to be the only one is not.',
            'The default store of the cache is Redis, and its lock_connection is not set, or has the database of its'
                .' connection.',
            ['https://laravel.com/docs/cache#managing-locks'],
            5,
        );
    }

    public function examine(Facts $facts): array
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
            'php artisan cache:clear, in a deploy say, lets two hold the same lock.',
            new Fix(
                "Set 'lock_connection' of the store '{$store}' in {$app->file('cache')} to a connection with another"
                    ." database, such as 'default'.",
                [],
                $app->isCached('config') ? ['php artisan config:cache'] : [],
                'Take it back.',
                'headroom doctor --only=L16',
            ),
        )];
    }
}
