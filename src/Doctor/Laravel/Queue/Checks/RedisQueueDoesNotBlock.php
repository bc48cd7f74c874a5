<?php

declare(strict_types=1);

namespace Headroom\Doctor\Laravel\Queue\Checks;

use Headroom\Doctor\Application\Application;
use Headroom\Doctor\Check;
use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
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
            return [Finding::skipped('the queue is not in Redis')];
        }

        $seconds = $app->number($key);

        if ($seconds !== null && $seconds > 0.0) {
            return [Finding::pass('workers wait in Redis', $app->evidence($key))];
        }

        return [Finding::warn(
            $seconds === null
                ? "Workers of '{$name}' do not wait in Redis: block_for is not set."
                : "Workers of '{$name}' wait in Redis forever: block_for is 0.",
            [$app->evidence($key)],
            $seconds === null
                ? 'A job waits for up to the sleep of a worker before it starts.'
                : 'A deploy waits for workers that do not see the signal.',
            self::fix($app, $facts, $name),
        )];
    }

    /** The connection of such workers must wait for replies longer than they block. */
    private static function fix(Application $app, Facts $facts, string $name): Fix
    {
        $set = $app->text("queue.connections.{$name}.connection");
        [$limit, $more] = self::replies($app, $facts, $set === '' ? 'default' : $set);

        return $app->fix(
            "Set 'block_for' => ".RedisQueue::BLOCK_FOR." of the connection '{$name}' in {$app->file('queue')}.{$more}",
            ["queue.connections.{$name}.block_for" => (string) RedisQueue::BLOCK_FOR] + $limit,
            'artisan queue:restart',
        );
    }

    /** @return array{array<string, string>, string} settings of the connection to Redis, and what to say of them */
    private static function replies(Application $app, Facts $facts, string $redis): array
    {
        try {
            $replies = new ReplyTimeouts($app, $facts);
            $reply = $replies->of($redis);

            if ($reply->outlasts(RedisQueue::BLOCK_FOR)) {
                return [[], ''];
            }

            $limit = $replies->advised($redis, RedisQueue::BLOCK_FOR + RedisQueue::LONGER);

            return [
                $limit,
                ' Set '.RedisQueue::phrase($limit)." with it: its {$reply->text()} are not longer (check R12).",
            ];
        } catch (FactUnavailable|NotApplicable $e) {
            return [[], " The reply limit of its connection to Redis must be longer (check R12): {$e->getMessage()}"];
        }
    }
}
