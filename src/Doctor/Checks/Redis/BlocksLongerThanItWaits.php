<?php

declare(strict_types=1);

namespace Headroom\Doctor\Checks\Redis;

use Headroom\Doctor\AbsentFact;
use Headroom\Doctor\Check;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Facts\Laravel\Application;
use Headroom\Doctor\Facts\Laravel\RedisQueue;
use Headroom\Doctor\Facts\Laravel\ReplyTimeout;
use Headroom\Doctor\Facts\Laravel\ReplyTimeouts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Layer;
use Headroom\Doctor\Rule;
use Headroom\Doctor\Severity;
use Headroom\Doctor\UnknownFact;

/**
 * @internal
 */
final readonly class BlocksLongerThanItWaits implements Check
{
    public function rule(): Rule
    {
        return new Rule(
            'R12',
            'A queue worker gives its connection up while it waits for a job',
            Severity::High,
            Layer::Redis,
            'With `block_for` an idle worker asks Redis to answer when there is a job, and at the latest after so many seconds. Until then Redis sends nothing, and the client takes the silence for a failure once its own time limit is over: `read_timeout` of phpredis, `read_write_timeout` of Predis, else PHP\'s default_socket_timeout. The worker then throws "read error on connection" (Predis: "Operation has timed out"), logs it, and connects again, as long as the queue is empty. phpredis takes 0 for default_socket_timeout; from version 6 it waits forever where the option is negative, and before that it refuses to connect. Predis waits forever where the option is 0 or negative.',
            'The time limit of a reply is not at least half a second longer than the `block_for` of a queue connection that uses it, whether that is the default one or not. With `block_for` 0 any limit is too short.',
            ['https://laravel.com/docs/queues#redis', 'https://github.com/laravel/horizon/issues/1041', 'https://github.com/phpredis/phpredis/issues/1543'],
            3,
        );
    }

    public function examine(Facts $facts): array
    {
        $app = $facts->get(Application::class);
        $findings = [];

        foreach (RedisQueue::of($app) as $queue) {
            try {
                $finding = $queue->blockFor === null
                    ? Finding::pass('its workers do not block', $app->evidence($queue->key()))
                    : $this->compared($app, $facts, $queue);
            } catch (UnknownFact $e) {
                $finding = Finding::unknown($e->getMessage(), $e->command);
            } catch (AbsentFact $e) {
                $finding = Finding::unknown("How long its client waits for a reply is not known: {$e->getMessage()}.", "php artisan config:show database.redis.{$queue->redis}");
            }

            $findings[] = $finding->about("queue connection {$queue->name}");
        }

        return $findings === [] ? [Finding::skipped('no queue connection is in Redis')] : $findings;
    }

    private function compared(Application $app, Facts $facts, RedisQueue $queue): Finding
    {
        $seconds = $queue->seconds() ?? throw UnknownFact::because("{$queue->key()} is no number.", "php artisan config:show queue.connections.{$queue->name}");
        $replies = new ReplyTimeouts($app, $facts);
        $reply = $replies->of($queue->redis);
        $evidence = [$app->evidence($queue->key()), $app->evidence("queue.connections.{$queue->name}.connection"), ...$reply->evidence];

        if ($reply->outlasts($seconds)) {
            return Finding::pass('the client waits longer than the worker blocks', ...$evidence);
        }

        return Finding::fail(
            ($seconds > 0.0 ? "Workers of '{$queue->name}' block for {$seconds} s" : "Workers of '{$queue->name}' block until there is a job (block_for is 0)").($reply->isRefused() ? ", and this phpredis refuses the read_timeout of their connection '{$queue->redis}', which is negative." : ", and their connection '{$queue->redis}' gives up after {$reply->seconds} s without a reply ({$reply->option})."),
            $evidence,
            'Each idle worker throws and logs an error again and again, and connects again each time. A job that Redis hands over at that moment waits for its retry_after.',
            $this->fix($app, $replies, $queue, $reply),
        );
    }

    private function fix(Application $app, ReplyTimeouts $replies, RedisQueue $queue, ReplyTimeout $reply): Fix
    {
        $settings = [];
        $words = [];

        if (($queue->seconds() ?? 0.0) <= 0.0) {
            $settings[$queue->key()] = (string) RedisQueue::BLOCK_FOR;
            $words[] = "'block_for' => ".RedisQueue::BLOCK_FOR." of the connection '{$queue->name}' in {$app->file('queue')}";
        }

        if (! $reply->outlasts($settings === [] ? (float) $queue->seconds() : RedisQueue::BLOCK_FOR)) {
            [$key, $least] = $replies->advised($queue->redis, RedisQueue::BLOCK_FOR + RedisQueue::LONGER);
            $settings[$key] = "{$least}.0";
            $words[] = "'{$reply->option}' => {$least}.0 of the connection '{$queue->redis}' in {$app->file('database')}".($reply->key !== null && str_ends_with($reply->key, '.url') ? ', in the query of its url, which stands before the array' : '');
        }

        return new Fix(
            'Set '.implode(' and ', $words).'. Requests that use the same connection wait as long for a Redis that hangs: a connection of its own for the queue keeps theirs short.',
            $reply->key !== null && str_ends_with($reply->key, '.url') ? [] : $app->edits($settings),
            [...$app->recache(), 'php artisan queue:restart'],
            'Put the lines back.',
            'headroom doctor --only=R12',
        );
    }
}
