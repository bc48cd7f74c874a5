<?php

declare(strict_types=1);

namespace Headroom\Doctor\UnderLoad\Causes;

use Headroom\Doctor\Evidence;
use Headroom\Doctor\UnderLoad\Bottleneck;
use Headroom\Doctor\UnderLoad\Cause;
use Headroom\Doctor\UnderLoad\CauseDetector;
use Headroom\Doctor\UnderLoad\PeerKind;
use Headroom\Doctor\UnderLoad\Recording;
use Headroom\Doctor\UnderLoad\Waits\WaitKind;

/**
 * @internal
 */
final readonly class RedisConnections implements CauseDetector
{
    /** New connections per request: at one for every second request, requests connect regularly. */
    private const MIN_CONNECTIONS_PER_REQUEST = 0.5;

    /**
     * Redis runs one command at a time. With this share of the time in commands, the commands are slow, not the
     * network.
     */
    private const BUSY_SHARE = 0.5;

    /** With so many commands per new connection, requests wait for the commands. */
    private const CHATTY_COMMANDS = 12.0;

    public function in(Recording $recording): ?Cause
    {
        $waits = PeerKind::Redis->waited();
        $share = $recording->dominantShare($waits);
        $peer = $recording->waits->peer($waits);
        $counted = $recording->redis($peer);
        $perSecond = $recording->perSecond();

        if ($share === null || $counted === null || $perSecond === null || $perSecond <= 0.0) {
            return null;
        }

        [$redis, $seconds] = $counted;
        $new = $redis->connections / $seconds / $perSecond;
        $worked = $redis->commandMicros / 1e6 / $seconds;
        $isBusy = $worked >= self::BUSY_SHARE || $redis->blocked >= 0.5 * $recording->waits->processes($waits);
        $isChatty = $redis->commands > self::CHATTY_COMMANDS * max(1, $redis->connections)
            && $recording->waits->processes(PeerKind::Redis->waited(WaitKind::Connecting))
                < 0.3 * $recording->waits->processes($waits);

        return $new < self::MIN_CONNECTIONS_PER_REQUEST || $isBusy || $isChatty ? null : new Cause(
            Bottleneck::RedisConnections,
            $share,
            sprintf(
                'Requests wait for Redis %s: %s wait for it, each request opens %.1f new connections%s.',
                $peer ?? $redis->place,
                $recording->of($waits),
                $new,
                $recording->idleSuffix(),
            ),
            [
                new Evidence(
                    'new connections to Redis',
                    sprintf('%d in %.1f s, %.1f per request', $redis->connections, $seconds, $new),
                    "total_connections_received of {$redis->place}, without the doctor's own",
                ),
                new Evidence('requests', sprintf('%.1f/s', $perSecond), 'accepted conn of the pool, or the load'),
                new Evidence(
                    'Redis is in a command',
                    sprintf('%.1f %% of the time', 100 * $worked),
                    "commandstats of {$redis->place}",
                ),
                ...$recording->evidence(),
            ],
            $recording->severity(),
            "Keep connections from request to request: 'persistent' => true for each connection of the section redis in"
                .' config/database.php, each with its own database (check R1).',
        );
    }
}
