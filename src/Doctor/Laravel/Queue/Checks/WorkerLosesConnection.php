<?php

declare(strict_types=1);

namespace Headroom\Doctor\Laravel\Queue\Checks;

use Headroom\Doctor\Application\Application;
use Headroom\Doctor\Check;
use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Laravel\Queue\IdleQueueConnection;
use Headroom\Doctor\Redis\RedisQueue;
use Headroom\Doctor\Redis\ReplyTimeouts;

/**
 * @internal
 */
final readonly class WorkerLosesConnection implements Check
{
    public function examine(Facts $facts): iterable
    {
        $app = $facts->get(Application::class);
        $replies = new ReplyTimeouts($app, $facts);
        $queues = RedisQueue::of($app);

        foreach ($queues as $queue) {
            yield Finding::from(static fn (): Finding => self::ofQueue($queue, $app, $replies))
                ->about("queue connection {$queue->name}");
        }

        yield from $queues === []
            ? [Finding::skipped('no queue connection is in Redis')]
            : IdleQueueConnection::atEach($app, $facts);
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

        return $reply->outlasts($seconds)
            ? Finding::pass('the client waits longer than the worker blocks', ...$evidence)
            : Finding::fail(
                "Workers of '{$queue->name}' block "
                    .($seconds > 0.0 ? "for {$seconds} s" : 'until there is a job (block_for is 0)').', and '
                    .($reply->isRefused()
                        ? "this phpredis refuses the negative read_timeout of their connection '{$queue->redis}'."
                        : "their connection '{$queue->redis}' gives up after {$reply->seconds} s without a reply"
                            ." ({$reply->option})."),
                $evidence,
                $app->fix($replies->advisedFor($queue, $reply), 'artisan queue:restart', isInUrl: $reply->isInUrl()),
            );
    }
}
