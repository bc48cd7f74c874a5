<?php

declare(strict_types=1);

namespace Headroom\Doctor\UnderLoad\Causes;

use Headroom\Doctor\Evidence;
use Headroom\Doctor\UnderLoad\Bottleneck;
use Headroom\Doctor\UnderLoad\Cause;
use Headroom\Doctor\UnderLoad\CauseDetector;
use Headroom\Doctor\UnderLoad\PeerKind;
use Headroom\Doctor\UnderLoad\Recording;

/**
 * @internal
 */
final readonly class RedisReplies implements CauseDetector
{
    /** Share of one core: Redis runs commands on one only. */
    private const SATURATION = 0.85;

    public function in(Recording $recording): ?Cause
    {
        $waits = PeerKind::Redis->waited();
        $share = $recording->dominantShare($waits);

        if ($share === null) {
            return null;
        }

        $peer = $recording->waits->peer($waits);
        $counted = $recording->redis($peer);
        $evidence = [];
        $why = '';

        if ($counted !== null) {
            [$redis, $seconds] = $counted;
            $cores = $redis->cpuSeconds / $seconds;
            $perSecond = $recording->perSecond() ?? 0.0;
            $each = $perSecond > 0.0 ? $redis->commands / $seconds / $perSecond : null;
            $worked = $redis->commandMicros / 1e6 / $seconds;
            $evidence = [
                new Evidence(
                    'commands',
                    sprintf('%d in %.1f s', $redis->commands, $seconds)
                        .($each === null ? '' : sprintf(', %.1f per request', $each)),
                    "total_commands_processed of {$redis->place}",
                ),
                new Evidence(
                    'CPU time of Redis',
                    sprintf('%.0f %% of one core', 100 * $cores),
                    "used_cpu_user and used_cpu_sys of {$redis->place}",
                ),
                new Evidence(
                    'time in commands',
                    sprintf('%.0f %% of the time', 100 * $worked),
                    "commandstats of {$redis->place}",
                ),
            ];
            $why = match (true) {
                $cores >= self::SATURATION => sprintf(
                    ', whose one thread is saturated (%.0f %% of a core)',
                    100 * $cores,
                ),
                $redis->blocked >= 0.5 * $recording->waits->processes($waits) =>
                    ', which runs blocking commands (such as BLPOP)',
                $worked
                    >= self::SATURATION => sprintf(
                        ', which is in a command %.0f %% of the time',
                        100 * min(1.0, $worked),
                    ),
                $each !== null => sprintf(', and each request sends it %.1f commands', $each),
                default => '',
            };
        }

        return new Cause(
            Bottleneck::RedisReplies,
            // A cause that names new connections is more precise.
            0.99 * $share,
            sprintf(
                'Requests wait for replies of Redis %s: %s wait for it%s%s.',
                $peer ?? '',
                $recording->of($waits),
                $why,
                $recording->idleSuffix(),
            ),
            [...$evidence, ...$recording->evidence()],
            $recording->severity(),
            'Look at the commands: redis-cli slowlog get 20, redis-cli info commandstats. Measure the network from the'
                .' machine of PHP-FPM: redis-cli --latency.',
        );
    }
}
