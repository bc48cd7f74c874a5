<?php

declare(strict_types=1);

namespace Headroom\Doctor\Redis\Checks;

use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Redis\RedisCheck;
use Headroom\Doctor\Redis\RedisServer;
use Headroom\Doctor\Redis\RedisWindow;

/**
 * @internal
 */
final readonly class RedisMainThreadBusy implements RedisCheck
{
    private const SHARE = 0.85;

    public function examine(RedisServer $server, Facts $facts): Finding
    {
        $activity = $facts->get(RedisWindow::class)->of($server);
        $seconds = $activity->cpuSeconds ?? throw FactUnavailable::because(
            "{$server->place} does not report its CPU time.",
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

        return $share <= self::SHARE
            ? Finding::pass('the thread of this server has idle time', ...$evidence)
            : Finding::warn(
                sprintf('This server uses %.0f %% of a CPU, and cannot use more than one.', 100 * $share),
                $evidence,
                new Fix(commands: [$server->cli('info commandstats')], verify: $server->cli('info cpu')),
            )->observed();
    }
}
