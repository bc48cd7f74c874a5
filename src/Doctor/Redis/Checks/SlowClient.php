<?php

declare(strict_types=1);

namespace Headroom\Doctor\Redis\Checks;

use Headroom\Doctor\Application\Application;
use Headroom\Doctor\Check;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Redis\PhpredisLimits;
use Headroom\Doctor\Redis\RedisQueue;
use Headroom\Doctor\Redis\RedisUsage;

/**
 * @internal
 */
final readonly class SlowClient implements Check
{
    public function examine(Facts $facts): iterable
    {
        $app = $facts->get(Application::class);
        $redis = new RedisUsage($app);

        if ($redis->inUse() === []) {
            return [Finding::skipped('session, cache and queue do not use Redis')];
        }

        if ($redis->client() !== 'predis') {
            return [Finding::pass("the client is {$redis->client()}", $app->evidence('database.redis.client'))];
        }

        return [Finding::warn(
            'The client is Predis.',
            [$app->evidence('database.redis.client')],
            'Each command costs more CPU time than it must.',
            self::fix($app, $facts),
        )];
    }

    private static function fix(Application $app, Facts $facts): Fix
    {
        $fix = $app->setting(
            'REDIS_CLIENT',
            'phpredis',
            'Install the extension redis for PHP-FPM and for the command line, then let Laravel use it.',
        );
        $settings = PhpredisLimits::missing($app, $facts, NoTimeouts::SECONDS);

        if ($settings === []) {
            return $fix;
        }

        $edits = $app->edits($settings);

        return new Fix(
            "{$fix->text} Its limits have names of their own; before that, set ".RedisQueue::phrase($settings)
                .' (checks R4 and R12).',
            $edits === [] ? [] : [...$fix->edits, ...$edits],
            $fix->commands,
        );
    }
}
