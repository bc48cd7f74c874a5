<?php

declare(strict_types=1);

namespace Headroom\Doctor\UnderLoad\Causes;

use Headroom\Doctor\Evidence;
use Headroom\Doctor\UnderLoad\Bottleneck;
use Headroom\Doctor\UnderLoad\Cause;
use Headroom\Doctor\UnderLoad\CauseDetector;
use Headroom\Doctor\UnderLoad\PeerKind;
use Headroom\Doctor\UnderLoad\Recording;
use Headroom\Doctor\UnderLoad\Samplers\DatabaseSnapshot;
use Headroom\Doctor\UnderLoad\Waits\WaitKind;

/**
 * @internal
 */
final readonly class DatabaseConnections implements CauseDetector
{
    private const MIN_CONNECTIONS_PER_REQUEST = 0.5;

    /** Round trips until a connection is usable: TCP, greeting, login. */
    private const CONNECT_ROUND_TRIPS = 3.0;

    /** With this share of the round trips, requests wait for new connections. */
    private const DOMINANT_SHARE = 0.5;

    public function in(Recording $recording): ?Cause
    {
        $waits = PeerKind::Database->waited();
        $share = $recording->dominantShare($waits);
        $perSecond = $recording->perSecond();
        $connections = $recording->databasePerSecond(
            static fn (DatabaseSnapshot $snapshot): ?int => $snapshot->connections,
        );

        if ($share === null || $connections === null || $perSecond === null || $perSecond <= 0.0) {
            return null;
        }

        $new = $connections / $perSecond;
        $statements = ($recording->databasePerSecond(
            static fn (DatabaseSnapshot $snapshot): ?int => $snapshot->statements,
        )
            ?? 0.0)
            / $perSecond;
        $snapshots = $recording->databases();
        $running = array_sum(array_map(static fn (DatabaseSnapshot $snapshot): int => $snapshot->running, $snapshots))
            / max(1, count($snapshots));
        $waiting = $recording->waits->processes($waits);
        $connecting = $recording->waits->processes(PeerKind::Database->waited(WaitKind::Connecting));
        $trips = self::CONNECT_ROUND_TRIPS * $new;
        $isConnecting = $connecting >= self::DOMINANT_SHARE * $waiting
            || ($trips >= self::DOMINANT_SHARE * ($trips + $statements)
                && $running < self::DOMINANT_SHARE * $waiting);

        return $new < self::MIN_CONNECTIONS_PER_REQUEST || ! $isConnecting ? null : new Cause(
            Bottleneck::DatabaseConnections,
            $share,
            sprintf(
                'Requests wait for connections to %s: %s wait for it, each request opens %.1f new connections%s.',
                $recording->database,
                $recording->of($waits),
                $new,
                $recording->idleSuffix(),
            ),
            [
                new Evidence(
                    'new connections',
                    sprintf('%.1f/s, %.1f per request', $connections, $new),
                    $recording->database,
                ),
                new Evidence('statements', sprintf('%.1f per request', $statements), $recording->database),
                new Evidence('statements under way', sprintf('%.1f on average', $running), $recording->database),
                ...$recording->evidence(),
            ],
            $recording->severity(),
            'Put a pooler between (PgBouncer, ProxySQL, MaxScale), or use a Unix socket on the same machine.'
                .' Persistent connections of PDO pass state to the next request (check D3).',
        );
    }
}
