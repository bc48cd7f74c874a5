<?php

declare(strict_types=1);

namespace Headroom\Doctor\Redis\Checks;

use Headroom\Doctor\Application\Application;
use Headroom\Doctor\Check;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Redis\RedisQueue;
use Headroom\Doctor\Redis\RedisUsage;
use Headroom\Doctor\Redis\ReplyTimeouts;

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
            $this->fix($app, $facts, $redis),
        )];
    }

    private function fix(Application $app, Facts $facts, RedisUsage $redis): Fix
    {
        $fix = $app->setting(
            'REDIS_CLIENT',
            'phpredis',
            'Install the extension redis for PHP-FPM and for the command line, then let Laravel use it.',
            'Set it back to predis.',
        );
        $settings = $this->limits($app, $facts, $redis);

        if ($settings === []) {
            return $fix;
        }

        $edits = $app->edits($settings);

        return new Fix(
            "{$fix->text} Its limits have names of their own; before that, set ".RedisQueue::phrase($settings)
                .' (checks R4 and R12).',
            $edits === [] ? [] : [...$fix->edits, ...$edits],
            $fix->commands,
            $fix->rollback,
        );
    }

    /** @return array<string, string> what phpredis would lack, as it does not know those of Predis */
    private function limits(Application $app, Facts $facts, RedisUsage $redis): array
    {
        $replies = new ReplyTimeouts($app, $facts, 'phpredis');
        $queues = array_map(static fn (RedisQueue $queue): string => $queue->redis, RedisQueue::of($app));
        $settings = [];
        // Another fix may move a session or the cache to Redis.
        $names = array_unique([...$redis->inUse(), ...$redis->inReserve(), ...$queues]);

        foreach (array_intersect($names, $redis->all()) as $name) {
            [$key, $seconds] = $replies->toConnect($name);

            if ($seconds <= 0.0) {
                $settings[$key] = '1.0';
            }

            if (! $replies->hasLimit($name) || $this->isOutlasted($app, $replies, $name)) {
                $settings += $replies->advised($name, NoTimeouts::SECONDS);
            }
        }

        return $settings;
    }

    /** Whether a worker blocks on this connection for longer than its client waits, now or after the fix of L12. */
    private function isOutlasted(Application $app, ReplyTimeouts $replies, string $name): bool
    {
        $queues = RedisQueue::on($app, $name);
        $blocks = RedisQueue::patience($queues);
        $seconds = array_map(static fn (RedisQueue $queue): ?float => $queue->seconds(), $queues);
        $isForever = array_filter($seconds, static fn (?float $each): bool => $each !== null && $each <= 0.0) !== [];

        return $blocks !== null && (
            ! $replies->of($name)->outlasts($blocks - RedisQueue::LONGER)
            || ($isForever && ! $replies->of($name)->outlasts(0.0))
        );
    }
}
