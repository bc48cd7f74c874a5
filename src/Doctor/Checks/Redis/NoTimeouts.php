<?php

declare(strict_types=1);

namespace Headroom\Doctor\Checks\Redis;

use Headroom\Doctor\Check;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Facts\Laravel\Application;
use Headroom\Doctor\Facts\Laravel\RedisConnections;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Layer;
use Headroom\Doctor\Rule;
use Headroom\Doctor\Severity;

use function implode;

/**
 * @internal
 */
final readonly class NoTimeouts implements Check
{
    public function rule(): Rule
    {
        return new Rule(
            'R4',
            'A Redis that hangs holds every PHP process for a minute',
            Severity::High,
            Layer::Redis,
            'Without `timeout` and `read_timeout` phpredis waits for as long as default_socket_timeout says, 60 seconds, which is longer than any client waits. A Redis that does not answer, or a network that drops its packets, then holds each PHP process for that long, and the pool is gone in as many requests as it has processes.',
            'A connection that session, cache or queue use has no `timeout` or no `read_timeout`, or 0.',
            ['https://github.com/phpredis/phpredis#connect-open', 'https://laravel.com/docs/redis'],
        );
    }

    public function examine(Facts $facts): array
    {
        $app = $facts->get(Application::class);
        $redis = new RedisConnections($app);
        $findings = $redis->clusters();

        foreach ($redis->inUse() as $name) {
            $missing = [];
            $evidence = [];

            foreach (['timeout', 'read_timeout'] as $option) {
                $key = $this->key($app, $name, $option);
                $evidence[] = $app->evidence($key);

                if (($app->number($key) ?? 0.0) <= 0.0) {
                    $missing[] = $option;
                }
            }

            $findings[] = ($missing === [] ? Finding::pass('it gives up in time', ...$evidence) : Finding::warn(
                "The connection '{$name}' has no ".implode(' and no ', $missing).'.',
                $evidence,
                'When Redis does not answer, each request waits for 60 seconds instead of failing, and no process is left for those that need no Redis.',
                new Fix("Set 'timeout' => 1.0 and 'read_timeout' => 2.0 of the connection '{$name}' in {$app->file('database')}. A connection that a queue worker blocks on needs a read_timeout above its block_for.", [], $app->isCached('config') ? ['php artisan config:cache'] : [], 'Take the lines back.', 'headroom doctor --only=R4'),
            ))->about("connection {$name}");
        }

        return $findings === [] ? [Finding::skipped('session, cache and queue do not use Redis')] : $findings;
    }

    /** Options of all connections hold where the connection has none, and before those that it has itself. */
    private function key(Application $app, string $name, string $option): string
    {
        foreach (["database.redis.{$name}.options.{$option}", "database.redis.options.{$option}"] as $key) {
            if ($app->has($key)) {
                return $key;
            }
        }

        return "database.redis.{$name}.{$option}";
    }
}
