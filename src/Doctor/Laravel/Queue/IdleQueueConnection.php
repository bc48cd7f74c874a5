<?php

declare(strict_types=1);

namespace Headroom\Doctor\Laravel\Queue;

use Headroom\Doctor\Application\Application;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Finding;
use Headroom\Doctor\NotApplicable;
use Headroom\Doctor\Redis\RedisServer;
use Headroom\Doctor\Redis\RedisServers;
use Headroom\Doctor\Redis\RedisUsage;
use Headroom\Doctor\Redis\ReplyTimeouts;

/**
 * The connection of a queue worker is idle while a job runs. Compares that time with the `timeout` of Redis, after
 * which it closes idle connections. A client that blocks is not idle.
 *
 * @internal
 */
final readonly class IdleQueueConnection
{
    /** Seconds between two polls of a worker that does not block. */
    private const SLEEP = 3;

    /** Seconds between the longest job and the advised timeout. */
    private const LONGER = 60;

    /** @return list<Finding> of each server with queues */
    public static function atEach(Application $app, Facts $facts): array
    {
        try {
            return $facts->get(RedisServers::class)
                ->each(static fn (RedisServer $server): Finding => self::at($server, $app, $facts));
        } catch (FactUnavailable $e) {
            return [Finding::unavailable($e)->about('idle connections')];
        } catch (NotApplicable) {
            return [];
        }
    }

    /** @throws FactUnavailable */
    public static function at(RedisServer $server, Application $app, Facts $facts): Finding
    {
        $redis = (new RedisUsage($app))->used()['queue'] ?? '';
        [$reconnects, $evidence] = (new ReplyTimeouts($app, $facts))->reconnects($redis);

        if (! in_array('queue', $server->uses, true)) {
            return Finding::pass('this server stores no queue', $evidence);
        }

        if ($reconnects) {
            return Finding::pass('the client connects again after the server has closed a connection', $evidence);
        }

        $closes = (int) $server->setting('timeout');
        $longest = (new JobTimeouts($app, $facts))->longest($app->text('queue.default')) ?? 0;
        $limit = $longest === 0 ? 'none' : "{$longest} s";
        $shown = [
            new Evidence('timeout', "{$closes} s", "CONFIG GET of {$server->place}"),
            $server->settingEvidence('tcp-keepalive'),
            $evidence,
            new Evidence('longest limit of a job', $limit, 'workers, Horizon and classes of jobs (check L11)'),
        ];

        return $closes === 0 || ($longest > 0 && $closes > max($longest, self::SLEEP))
            ? Finding::pass('this server keeps idle connections for longer than a job takes', ...$shown)
            : self::closed($server, $closes, $longest, $shown);
    }

    /** @param list<Evidence> $evidence */
    private static function closed(RedisServer $server, int $closes, int $longest, array $evidence): Finding
    {
        $then = $longest === 0 ? 0 : max($longest, self::SLEEP) + self::LONGER;

        return Finding::fail(
            "Redis closes a connection that is idle for {$closes} s, the connection of a worker is idle during a job, "
                .($longest === 0 ? 'and nothing ends its jobs.' : "and jobs may take {$longest} s."),
            $evidence,
            $server->fix(
                "timeout {$then}",
                (string) $closes,
                'config get timeout',
                text: 'Let Redis keep idle connections for longer than a job takes'
                    .($then === 0 ? ' (0: it closes none; tcp-keepalive still finds clients that are gone)' : '')
                    .'. phpredis connects again by itself.',
            ),
            'A worker whose job took longer cannot delete the job: its client does not connect again, and the job runs'
                .' again.',
        );
    }
}
