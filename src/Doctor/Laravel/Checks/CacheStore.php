<?php

declare(strict_types=1);

namespace Headroom\Doctor\Laravel\Checks;

use Headroom\Doctor\Application\Application;
use Headroom\Doctor\Check;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Laravel\RedisMove;

/**
 * @internal
 */
final readonly class CacheStore implements Check
{
    private const COSTS = [
        'database' => 'Each look into the cache is a query, and each write a commit, on the server that the cache'
            .' should keep work from.',
        'file' => 'The cache is of this machine alone, is never emptied of what has expired, and counts and locks by'
            .' rewriting files.',
        'array' => 'The cache ends with its request: nothing is cached.',
        'null' => 'Nothing is cached.',
    ];

    public function examine(Facts $facts): iterable
    {
        $app = $facts->get(Application::class);
        $store = $app->text('cache.default');
        $driver = $app->text("cache.stores.{$store}.driver");

        if (! $app->isProduction()) {
            return [Finding::skipped("the environment is {$app->environment}")];
        }

        $evidence = [$app->evidence('cache.default'), $app->evidence("cache.stores.{$store}.driver")];

        if (! isset(self::COSTS[$driver])) {
            return [Finding::pass("the default store is {$store}", ...$evidence)];
        }

        return [Finding::warn(
            "The default store of the cache is {$store}, by its driver {$driver}.",
            $evidence,
            self::COSTS[$driver],
            RedisMove::fix(
                $facts,
                $app,
                $app->setting(
                    'CACHE_STORE',
                    'redis',
                    'Where there is Redis or Memcached, cache there. APCu serves one machine with no server at all.',
                    'Set it back.',
                ),
                ['cache.default' => 'redis'],
            ),
        )];
    }
}
