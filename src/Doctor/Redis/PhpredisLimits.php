<?php

declare(strict_types=1);

namespace Headroom\Doctor\Redis;

use Headroom\Doctor\Application\Application;
use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;

/**
 * The time limits that an application lacks once it moves from Predis to phpredis, which does not know those of Predis.
 *
 * @internal
 */
final readonly class PhpredisLimits
{
    private const TO_CONNECT = '1.0';

    /**
     * @param int $seconds for a reply, if no queue worker waits
     * @return array<string, string> code by key of the configuration
     *
     * @throws FactUnavailable
     */
    public static function missing(Application $app, Facts $facts, int $seconds): array
    {
        $redis = new RedisUsage($app);
        $replies = new ReplyTimeouts($app, $facts, 'phpredis');
        $queues = array_map(static fn (RedisQueue $queue): string => $queue->redis, RedisQueue::of($app));
        $missing = [];
        // Another fix may move a session or the cache to Redis.
        $names = array_unique([...$redis->inUse(), ...$redis->inReserve(), ...$queues]);

        foreach (array_intersect($names, $redis->all()) as $name) {
            [$key, $limit] = $replies->toConnect($name);
            $missing += $limit > 0.0 ? [] : [$key => self::TO_CONNECT];

            if (! $replies->hasLimit($name) || self::isOutlasted($app, $replies, $name)) {
                $missing += $replies->advised($name, $seconds);
            }
        }

        return $missing;
    }

    /** Whether a worker blocks for longer than its client waits, now or after the fix of check L12. */
    private static function isOutlasted(Application $app, ReplyTimeouts $replies, string $name): bool
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
