<?php

declare(strict_types=1);

namespace Headroom\Doctor\Laravel\Checks;

use Headroom\Doctor\Application\Application;
use Headroom\Doctor\Check;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Laravel\MoveToRedis;

/**
 * @internal
 */
final readonly class CacheStore implements Check
{
    private const COSTS = [
        'database' => 'Each read of the cache is a query and each write a commit, on the server that the cache should'
            .' relieve.',
        'file' => 'The cache belongs to this machine, expired entries stay, and counters and locks rewrite files.',
        'array' => 'The cache ends with its request: nothing is cached.',
        'null' => 'Nothing is cached.',
    ];

    public function examine(Facts $facts): iterable
    {
        $app = $facts->get(Application::class)->inProduction();
        $store = $app->text('cache.default');
        $driver = $app->text("cache.stores.{$store}.driver");
        $evidence = [$app->evidence('cache.default'), $app->evidence("cache.stores.{$store}.driver")];

        return [isset(self::COSTS[$driver]) ? Finding::warn(
            "The default cache store is {$store}, with the driver {$driver}.",
            $evidence,
            MoveToRedis::fix($facts, $app, $app->setting(
                'CACHE_STORE',
                'redis',
                'If you have Redis or Memcached, cache there. Queue workers do not see the values of PHP-FPM in APCu.',
            ), ['cache.default' => 'redis']),
            self::COSTS[$driver],
        ) : Finding::pass("the default store is {$store}", ...$evidence)];
    }
}
