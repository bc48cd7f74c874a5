<?php

declare(strict_types=1);

namespace Headroom\Doctor\UnderLoad\Causes;

use Headroom\Doctor\Evidence;
use Headroom\Doctor\Severity;
use Headroom\Doctor\UnderLoad\Bottleneck;
use Headroom\Doctor\UnderLoad\Candidate;
use Headroom\Doctor\UnderLoad\Cause;
use Headroom\Doctor\UnderLoad\Recording;
use Headroom\Doctor\UnderLoad\Samplers\Snapshot;
use Headroom\Doctor\UnderLoad\Waits\Wait;
use Headroom\Doctor\UnderLoad\Waits\WaitKind;
use Headroom\Doctor\UnderLoad\WaitShares;

/**
 * Processes read from connections on which nothing arrives, while other connections wait to be accepted. The clients
 * see it too: some give up although the queue is short for the rate of responses, which cannot happen in a queue that
 * is served in its order.
 *
 * @internal
 */
final readonly class KeptConnections implements Cause
{
    /** Of the pool's processes. */
    private const HELD = 0.25;

    /** Of the looks. */
    private const OFTEN = 0.3;

    private const GIVEN_UP = 0.005;

    /** Seconds that the queue would take at the rate of the answers: far from any time limit. */
    private const SHORT = 1.0;

    public function in(Recording $recording): ?Candidate
    {
        $looks = array_values(array_filter(
            $recording->settled,
            static fn (Snapshot $sample): bool => $sample->waits !== null && $sample->pool?->waiting !== null,
        ));
        $waiting = array_values(array_filter(
            $looks,
            static fn (Snapshot $sample): bool => ($sample->pool->waiting ?? 0) > 0,
        ));

        if ($looks === [] || count($waiting) < self::OFTEN * count($looks)) {
            return null;
        }

        $held = static fn (Wait $wait): bool => $wait->kind === WaitKind::Client;
        $tally = new WaitShares(array_map(static fn (Snapshot $sample): array => $sample->waits ?? [], $waiting));
        $share = $tally->all() <= 0.0 ? 0.0 : $tally->processes($held) / $tally->all();
        $starves = $this->starves($recording);

        return $share < self::HELD && $starves === null ? null : new Candidate(
            Bottleneck::KeptConnections,
            // A wait that is impossible if requests are served in turn comes before anything that the processes do.
            max($share, $starves === null ? 0.0 : 1.0),
            $share >= self::HELD
                ? sprintf(
                    'Requests wait for a free process although %s do nothing: nginx keeps their connections%s.',
                    $recording->of($held),
                    $recording->idleWords(),
                )
                : sprintf(
                    'Some requests wait for a process until they are given up, while others are answered at once:'
                        .' connections that nginx keeps hold the processes, and %.0f requests wait before them%s.',
                    $recording->queued() ?? 0.0,
                    $recording->idleWords(),
                ),
            [
                new Evidence(
                    'processes that wait on a kept connection',
                    sprintf('%.1f while others wait', $tally->processes($held)),
                    '/proc',
                ),
                new Evidence('samples with a waiting connection', count($waiting).' of '.count($looks), 'ss'),
                ...($starves === null
                    ? []
                    : [new Evidence(
                        'the queue would take',
                        sprintf('%.2f s at the rate of the answers, and requests were given up', $starves),
                        'the load and ss',
                    )]),
                ...$recording->evidence(),
            ],
            Severity::Critical,
            'Do not keep connections from nginx to PHP-FPM: fastcgi_keep_conn off, and no keepalive in its upstream.',
        );
    }

    /** Seconds that the queue takes; null if no request starves. */
    private function starves(Recording $recording): ?float
    {
        $traffic = $recording->traffic;

        // Else they are slow themselves: where nothing is kept, each is served in its turn.
        if (
            ! $recording->mayKeep
            || $traffic === null
            || $traffic->requests === 0
            || $traffic->timeouts < self::GIVEN_UP * $traffic->requests
            || $traffic->perSecond <= 0.0
        ) {
            return null;
        }

        $seconds = ($recording->longestQueue() ?? 0) / $traffic->perSecond;

        // Half of the answers came sooner than that as well: it is no pause of all.
        return $seconds < self::SHORT && ($traffic->p50Ms ?? INF) < 1_000 * self::SHORT ? $seconds : null;
    }
}
