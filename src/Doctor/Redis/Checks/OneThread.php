<?php

declare(strict_types=1);

namespace Headroom\Doctor\Redis\Checks;

use Headroom\Doctor\Check;
use Headroom\Doctor\Confidence;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Redis\RedisServer;
use Headroom\Doctor\Redis\RedisServers;
use Headroom\Doctor\Redis\RedisWindow;

/**
 * @internal
 */
final readonly class OneThread implements Check
{
    private const SHARE = 0.85;

    public function examine(Facts $facts): iterable
    {
        return $facts->get(RedisServers::class)->each(static function (RedisServer $server) use ($facts): Finding {
            $activity = $facts->get(RedisWindow::class)->of($server);
            $seconds = $activity->cpuSeconds ?? throw FactUnavailable::because(
                "{$server->place} does not tell what CPU time it uses.",
                $server->cli('info cpu'),
            );
            $share = $seconds / max(0.001, $activity->seconds);
            $evidence = [
                new Evidence(
                    'CPU time of its main thread',
                    sprintf('%.2f s in %.1f s', $seconds, $activity->seconds),
                    "INFO cpu of {$server->place}",
                ),
                $activity->trip(),
            ];

            return $share <= self::SHARE ? Finding::pass('it has time', ...$evidence) : Finding::warn(
                sprintf('It uses %.0f %% of a CPU, and can not use more than one.', 100 * $share),
                $evidence,
                'Requests wait in line for Redis, while other CPUs are idle.',
                new Fix(
                    'Find what takes its time (check R6), ask for several keys at once (MGET, pipelines),'
                        .' and put sessions, cache and queue into servers of their own, each with a thread of its own.',
                    [],
                    [$server->cli('info commandstats')],
                    'Nothing was changed.',
                    $server->cli('info cpu'),
                ),
            )->restingOn(Confidence::Observed);
        });
    }
}
