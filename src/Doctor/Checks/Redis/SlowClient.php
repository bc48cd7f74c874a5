<?php

declare(strict_types=1);

namespace Headroom\Doctor\Checks\Redis;

use Headroom\Doctor\Check;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Facts\Laravel\Application;
use Headroom\Doctor\Facts\Laravel\RedisConnections;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Layer;
use Headroom\Doctor\Rule;
use Headroom\Doctor\Severity;

/**
 * @internal
 */
final readonly class SlowClient implements Check
{
    public function rule(): Rule
    {
        return new Rule(
            'R11',
            'The client of Redis is written in PHP',
            Severity::Low,
            Layer::Redis,
            'Predis builds and reads the protocol in PHP; phpredis does so in C, with less CPU for each command. An application with a dozen commands per request sees it in its CPU time.',
            'database.redis.client is predis, and session, cache or queue use Redis.',
            ['https://laravel.com/docs/redis#configuration'],
            20,
        );
    }

    public function examine(Facts $facts): array
    {
        $app = $facts->get(Application::class);
        $redis = new RedisConnections($app);

        if ($redis->inUse() === []) {
            return [Finding::skipped('session, cache and queue do not use Redis')];
        }

        return [$redis->client() !== 'predis' ? Finding::pass("the client is {$redis->client()}", $app->evidence('database.redis.client')) : Finding::warn(
            'The client is Predis.',
            [$app->evidence('database.redis.client')],
            'Each command costs more CPU time than it must.',
            $app->setting('REDIS_CLIENT', 'phpredis', 'Install the extension redis for PHP-FPM and for the command line, then let Laravel use it.', 'Set it back to predis.'),
        )];
    }
}
