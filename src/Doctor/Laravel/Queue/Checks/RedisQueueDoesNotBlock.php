<?php

declare(strict_types=1);

namespace Headroom\Doctor\Laravel\Queue\Checks;

use Headroom\Doctor\Application\Application;
use Headroom\Doctor\Check;
use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\ManualChange;
use Headroom\Doctor\NotApplicable;
use Headroom\Doctor\Redis\RedisQueue;
use Headroom\Doctor\Redis\ReplyTimeouts;

/**
 * @internal
 */
final readonly class RedisQueueDoesNotBlock implements Check
{
    public function examine(Facts $facts): iterable
    {
        $app = $facts->get(Application::class);
        $name = $app->text('queue.default');
        $key = "queue.connections.{$name}.block_for";

        if ($app->text("queue.connections.{$name}.driver") !== 'redis') {
            return yield Finding::skipped('the queue is not in Redis');
        }

        $seconds = $app->number($key);

        yield $seconds !== null && $seconds > 0.0
            ? Finding::pass('workers wait in Redis', $app->evidence($key))
            : Finding::warn(
                $seconds === null
                    ? "Workers of '{$name}' do not wait in Redis: block_for is not set."
                    : "Workers of '{$name}' wait in Redis forever: block_for is 0.",
                [$app->evidence($key)],
                self::fix($app, $facts, $name, $key),
            );
    }

    /** The connection of such workers must wait for replies longer than they block. */
    private static function fix(Application $app, Facts $facts, string $name, string $key): Fix
    {
        $replies = new ReplyTimeouts($app, $facts);
        $redis = $app->text("queue.connections.{$name}.connection", 'default');
        $limit = [];
        $byHand = [];

        try {
            if (! $replies->of($redis)->outlasts(RedisQueue::BLOCK_FOR)) {
                $limit = $replies->advised($redis, RedisQueue::BLOCK_FOR + RedisQueue::LONGER);
            }
        } catch (FactUnavailable|NotApplicable $e) {
            $byHand[] = new ManualChange("Its connection must wait longer for replies: {$e->getMessage()}");
        }

        return $app->fix([$key => (string) RedisQueue::BLOCK_FOR] + $limit, 'artisan queue:restart')->with($byHand);
    }
}
