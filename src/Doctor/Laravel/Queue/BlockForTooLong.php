<?php

declare(strict_types=1);

namespace Headroom\Doctor\Laravel\Queue;

use Headroom\Doctor\Application\Application;
use Headroom\Doctor\Check;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\NotApplicable;
use Headroom\Doctor\Redis\RedisQueue;
use Headroom\Doctor\Redis\RedisServer;
use Headroom\Doctor\Redis\RedisServers;
use Headroom\Doctor\Redis\RedisUsage;
use Headroom\Doctor\Redis\ReplyTimeout;
use Headroom\Doctor\Redis\ReplyTimeouts;

/**
 * @internal
 */
final readonly class BlockForTooLong implements Check
{
    /** Seconds between two polls of a worker that does not block. */
    private const SLEEP = 3;

    private const LONGER = 60;

    public function examine(Facts $facts): iterable
    {
        $app = $facts->get(Application::class);
        $findings = [];

        foreach (RedisQueue::of($app) as $queue) {
            try {
                $finding = $queue->blockFor === null
                    ? Finding::pass('its workers do not block', $app->evidence($queue->key()))
                    : $this->compared($app, $facts, $queue);
            } catch (FactUnavailable $e) {
                $finding = Finding::unavailable($e);
            } catch (NotApplicable $e) {
                $finding = Finding::unknown(
                    "How long its client waits for a reply is not known: {$e->getMessage()}.",
                    "artisan config:show database.redis.{$queue->redis}",
                );
            }

            $findings[] = $finding->about("queue connection {$queue->name}");
        }

        return $findings === [] ? [
            Finding::skipped('no queue connection is in Redis'),
        ] : [...$findings, ...$this->ofServers($app, $facts)];
    }

    /** @return list<Finding> of servers that close idle connections; a client that blocks is not idle */
    private function ofServers(Application $app, Facts $facts): array
    {
        try {
            $servers = $facts->get(RedisServers::class);
        } catch (FactUnavailable $e) {
            return [Finding::unavailable($e)->about('idle connections')];
        } catch (NotApplicable) {
            return [];
        }

        return $servers->each(fn (RedisServer $server): Finding => $this->ofServer($app, $facts, $server));
    }

    private function ofServer(Application $app, Facts $facts, RedisServer $server): Finding
    {
        $redis = (new RedisUsage($app))->used()['queue'] ?? '';
        [$reconnects, $evidence] = (new ReplyTimeouts($app, $facts))->reconnects($redis);

        if (! in_array('queue', $server->uses, true) || $reconnects) {
            return Finding::pass(
                in_array('queue', $server->uses, true)
                    ? 'its client connects again when a connection was closed'
                    : 'it stores no queue',
                $evidence,
            );
        }

        $closes = (int) $server->setting('timeout');
        $longest = (new JobTimeouts($app, $facts))->longest($app->text('queue.default')) ?? 0;
        $silence = max($longest, self::SLEEP);
        $shown = [
            new Evidence('timeout', "{$closes} s", "CONFIG GET of {$server->place}"),
            $server->settingEvidence('tcp-keepalive'),
            $evidence,
            new Evidence(
                'longest limit of a job',
                $longest === 0 ? 'none' : "{$longest} s",
                'workers, Horizon and classes of jobs (check L11)',
            ),
        ];

        if ($closes === 0 || ($longest > 0 && $closes > $silence)) {
            return Finding::pass('it keeps connections longer than a job takes', ...$shown);
        }

        $then = $longest === 0 ? 0 : $silence + self::LONGER;

        return Finding::fail(
            "Redis closes a connection that is idle for {$closes} s, the connection of a worker is idle during a job, "
                .(
                    $longest === 0 ? 'and nothing ends its jobs.' : "and jobs may take {$longest} s."
                ),
            $shown,
            'A worker whose job took longer cannot delete it: its client does not connect again by itself,'
                .' and the job runs'
                .' again.',
            $server->fix(
                'Let it keep connections longer than jobs take'.(
                    $then === 0 ? ' (0: it closes none; tcp-keepalive still finds clients that are gone)' : ''
                ).'. phpredis connects again by itself.',
                "timeout {$then}",
                "timeout {$closes}",
                [],
                'config get timeout',
            ),
        );
    }

    private function compared(Application $app, Facts $facts, RedisQueue $queue): Finding
    {
        $seconds = $queue->seconds() ?? throw FactUnavailable::because(
            "{$queue->key()} is not a number.",
            "artisan config:show queue.connections.{$queue->name}",
        );
        $replies = new ReplyTimeouts($app, $facts);
        $reply = $replies->of($queue->redis);
        $evidence = [
            $app->evidence($queue->key()),
            $app->evidence("queue.connections.{$queue->name}.connection"),
            ...$reply->evidence,
        ];

        if ($reply->outlasts($seconds)) {
            return Finding::pass('the client waits longer than the worker blocks', ...$evidence);
        }

        return Finding::fail(
            ($seconds > 0.0
                ? "Workers of '{$queue->name}' block for {$seconds} s"
                : "Workers of '{$queue->name}' block until there is a job (block_for is 0)")
                .(
                    $reply->isRefused()
                        ? ", and this phpredis refuses the read_timeout of their connection '{$queue->redis}',"
                            .' which is negative.'
                        : ", and their connection '{$queue->redis}' gives up after {$reply->seconds} s without a reply"
                            ." ({$reply->option})."
                ),
            $evidence,
            'Each idle worker throws and logs an error again and again, and connects again each time. A '
                .'job that Redis hands over at that moment waits for its retry_after.',
            $this->fix($app, $replies, $queue, $reply),
        );
    }

    private function fix(Application $app, ReplyTimeouts $replies, RedisQueue $queue, ReplyTimeout $reply): Fix
    {
        $settings = ($queue->seconds() ?? 0.0) <= 0.0 ? [$queue->key() => (string) RedisQueue::BLOCK_FOR] : [];
        $inUrl = $reply->key !== null && str_ends_with($reply->key, '.url');

        if (! $reply->outlasts($settings === [] ? $queue->seconds() : RedisQueue::BLOCK_FOR)) {
            $settings += $replies->advised($queue->redis, RedisQueue::BLOCK_FOR + RedisQueue::LONGER);
        }

        return new Fix(
            'Set '.RedisQueue::phrase($settings).(
                $inUrl ? ', in the query of its url, which stands before the array' : ''
            ).'. Requests that use the same connection wait as long for a Redis that hangs: a connection '
                .'of its own for the queue keeps theirs short.',
            $inUrl ? [] : $app->edits($settings),
            [...$app->recache(), 'artisan queue:restart'],
            'Set the values as they were, then run the same commands.',
        );
    }
}
