<?php

declare(strict_types=1);

namespace Headroom\Doctor\Redis\Checks;

use Headroom\Doctor\Application\Application;
use Headroom\Doctor\Check;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Redis\PhpredisLimits;
use Headroom\Doctor\Redis\RedisUsage;

/**
 * @internal
 */
final readonly class PredisInUse implements Check
{
    public function examine(Facts $facts): iterable
    {
        $app = $facts->get(Application::class);
        $redis = new RedisUsage($app);
        $client = $app->evidence('database.redis.client');

        if ($redis->inUse() === []) {
            return [Finding::skipped(RedisUsage::NONE)];
        }

        return [$redis->client() !== 'predis'
            ? Finding::pass("the client is {$redis->client()}", $client)
            : Finding::warn('The client is Predis.', [$client], self::fix($app, $facts))];
    }

    private static function fix(Application $app, Facts $facts): Fix
    {
        $limits = $app->changes(PhpredisLimits::missing($app, $facts, NoTimeouts::SECONDS));

        return $app->setting('REDIS_CLIENT', 'phpredis')->after($limits);
    }
}
