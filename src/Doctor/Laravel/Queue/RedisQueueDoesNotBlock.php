<?php

declare(strict_types=1);

namespace Headroom\Doctor\Laravel\Queue;

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
                : "Workers of '{$name}' wait in Redis for ever: block_for is 0.",
            [$app->evidence($key)],
            $seconds === null
                ? 'A job waits for up to the sleep of a worker before it begins.'
                : 'A deploy waits for workers that do not hear it.',
            $this->fix($app, $facts, $name),
        )];
    }

    /** The connection of such workers has to wait for replies longer than they block. */
    private function fix(Application $app, Facts $facts, string $name): Fix
    {
        $settings = ["queue.connections.{$name}.block_for" => (string) RedisQueue::BLOCK_FOR];
        $said = $app->text("queue.connections.{$name}.connection");
        $redis = $said === '' ? 'default' : $said;
        $more = '';

        try {
            $replies = new ReplyTimeouts($app, $facts);
            $reply = $replies->of($redis);

            if (! $reply->outlasts(RedisQueue::BLOCK_FOR)) {
                $limit = $replies->advised($redis, RedisQueue::BLOCK_FOR + RedisQueue::LONGER);
                $settings += $limit;
                $more = ' Set '.RedisQueue::words($limit)." with it: its {$reply->text()} are not longer (check R12).";
            }
        } catch (FactUnavailable|NotApplicable $e) {
            $more = " The limit of a reply of its connection to Redis has to be longer (check R12): {$e->getMessage()}";
        }

        return new Fix(
            "Set 'block_for' => ".RedisQueue::BLOCK_FOR." of the connection '{$name}' in {$app->file('queue')}.{$more}",
            $app->edits($settings),
            [...$app->recache(), 'artisan queue:restart'],
            'Set it back.',
        );
    }
}
