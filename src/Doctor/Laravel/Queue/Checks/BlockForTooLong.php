<?php

declare(strict_types=1);

namespace Headroom\Doctor\Laravel\Queue\Checks;

use Headroom\Doctor\Application\Application;
use Headroom\Doctor\Check;
use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Laravel\Queue\IdleQueueConnection;
use Headroom\Doctor\NotApplicable;
use Headroom\Doctor\Redis\RedisQueue;
use Headroom\Doctor\Redis\RedisServer;
use Headroom\Doctor\Redis\RedisServers;
use Headroom\Doctor\Redis\ReplyTimeout;
use Headroom\Doctor\Redis\ReplyTimeouts;

/**
 * @internal
 */
final readonly class BlockForTooLong implements Check
{
    public function examine(Facts $facts): iterable
    {
        $app = $facts->get(Application::class);
        $queues = RedisQueue::of($app);

        foreach ($queues as $queue) {
            yield Finding::from(static fn (): Finding => self::ofQueue($queue, $app, new ReplyTimeouts($app, $facts)))
                ->about("queue connection {$queue->name}");
        }

        yield from $queues === []
            ? [Finding::skipped('no queue connection is in Redis')]
            : self::ofServers($app, $facts);
    }

    /** @return list<Finding> */
    private static function ofServers(Application $app, Facts $facts): array
    {
        try {
            return $facts->get(RedisServers::class)
                ->each(static fn (RedisServer $server): Finding => IdleQueueConnection::at($server, $app, $facts));
        } catch (FactUnavailable $e) {
            return [Finding::unavailable($e)->about('idle connections')];
        } catch (NotApplicable) {
            return [];
        }
    }

    private static function ofQueue(RedisQueue $queue, Application $app, ReplyTimeouts $replies): Finding
    {
        if ($queue->blockFor === null) {
            return Finding::pass('the workers do not block', $app->evidence($queue->key()));
        }

        $seconds = $queue->seconds() ?? throw FactUnavailable::because(
            "{$queue->key()} is not a number.",
            "artisan config:show queue.connections.{$queue->name}",
        );
        $reply = $replies->ofQueue($queue);
        $evidence = [
            $app->evidence($queue->key()),
            $app->evidence("queue.connections.{$queue->name}.connection"),
            ...$reply->evidence,
        ];

        return $reply->outlasts($seconds) ? Finding::pass(
            'the client waits longer than the worker blocks',
            ...$evidence,
        ) : Finding::fail(
            "Workers of '{$queue->name}' block "
                .($seconds > 0.0 ? "for {$seconds} s" : 'until there is a job (block_for is 0)').', and '
                .($reply->isRefused()
                    ? "this phpredis refuses the negative read_timeout of their connection '{$queue->redis}'."
                    : "their connection '{$queue->redis}' gives up after {$reply->seconds} s without a reply"
                        ." ({$reply->option})."),
            $evidence,
            'Each idle worker logs an error and connects again, as long as the queue is empty. A job that Redis hands'
                .' over at that moment waits for its retry_after.',
            self::fix($app, $replies, $queue, $reply),
        );
    }

    private static function fix(Application $app, ReplyTimeouts $replies, RedisQueue $queue, ReplyTimeout $reply): Fix
    {
        $settings = $replies->advisedFor($queue, $reply);
        $isInUrl = $reply->key !== null && str_ends_with($reply->key, '.url');

        return $app->fix(
            'Set '.RedisQueue::phrase($settings)
                .($isInUrl ? ', in the query of its url, which overrides the array' : '')
                .'. Requests that use the same connection then wait as long for a Redis that hangs; give the queue a'
                .' connection of its own to keep their limit short.',
            $isInUrl ? [] : $settings,
            'artisan queue:restart',
        );
    }
}
