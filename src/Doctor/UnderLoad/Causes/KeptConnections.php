<?php

declare(strict_types=1);

namespace Headroom\Doctor\UnderLoad\Causes;

use Headroom\Doctor\Evidence;
use Headroom\Doctor\Severity;
use Headroom\Doctor\UnderLoad\Bottleneck;
use Headroom\Doctor\UnderLoad\Cause;
use Headroom\Doctor\UnderLoad\CauseDetector;
use Headroom\Doctor\UnderLoad\Recording;
use Headroom\Doctor\UnderLoad\Samplers\Snapshot;
use Headroom\Doctor\UnderLoad\Waits\Wait;
use Headroom\Doctor\UnderLoad\Waits\WaitKind;
use Headroom\Doctor\UnderLoad\WaitShares;

/**
 * Processes wait for data on idle connections while other connections wait to be accepted. Or, seen from the queue:
 * requests time out although the queue is short for the rate of responses, which cannot happen if it is served in
 * order.
 *
 * @internal
 */
final readonly class KeptConnections implements CauseDetector
{
    /** Share of the pool's processes. */
    private const MIN_HELD_SHARE = 0.25;

    /** Share of the samples. */
    private const MIN_SAMPLE_SHARE = 0.3;

    private const GIVEN_UP = 0.005;

    /** Seconds in which the queue would drain at the rate of the responses, far below any timeout. */
    private const SHORT_QUEUE_SECONDS = 1.0;

    public function in(Recording $recording): ?Cause
    {
        $samples = array_values(array_filter(
            $recording->settled,
            static fn (Snapshot $sample): bool => $sample->waits !== null && $sample->pool?->waiting !== null,
        ));
        $waiting = array_values(array_filter(
            $samples,
            static fn (Snapshot $sample): bool => ($sample->pool->waiting ?? 0) > 0,
        ));

        if ($samples === [] || count($waiting) < self::MIN_SAMPLE_SHARE * count($samples)) {
            return null;
        }

        $held = static fn (Wait $wait): bool => $wait->kind === WaitKind::Client;
        $tally = new WaitShares(array_map(static fn (Snapshot $sample): array => $sample->waits ?? [], $waiting));
        $share = $tally->all() <= 0.0 ? 0.0 : $tally->processes($held) / $tally->all();
        $starves = $this->starves($recording);

        return $share < self::MIN_HELD_SHARE && $starves === null ? null : new Cause(
            Bottleneck::KeptConnections,
            // A wait that is impossible in a queue served in order outranks the waits of the processes.
            max($share, $starves === null ? 0.0 : 1.0),
            $share >= self::MIN_HELD_SHARE
                ? sprintf(
                    'Requests wait for a free process although %s are idle: nginx keeps their connections%s.',
                    $recording->of($held),
                    $recording->idleSuffix(),
                )
                : sprintf(
                    'Some requests wait for a process until they time out, while others are answered at once:'
                        .' idle connections of nginx hold the processes, and %.0f requests wait%s.',
                    $recording->averageQueueLength() ?? 0.0,
                    $recording->idleSuffix(),
                ),
            [
                new Evidence(
                    'processes on an idle connection',
                    sprintf('%.1f while others wait', $tally->processes($held)),
                    '/proc',
                ),
                new Evidence('samples with a waiting connection', count($waiting).' of '.count($samples), 'ss'),
                ...($starves === null
                    ? []
                    : [new Evidence(
                        'the queue would take',
                        sprintf('%.2f s at the rate of the responses, and requests timed out', $starves),
                        'the load and ss',
                    )]),
                ...$recording->evidence(),
            ],
            Severity::Critical,
            'Do not keep connections from nginx to PHP-FPM: fastcgi_keep_conn off, and no keepalive in its upstream.',
        );
    }

    /** Seconds in which the queue drains; null if no request starves. */
    private function starves(Recording $recording): ?float
    {
        $traffic = $recording->traffic;

        // Otherwise the requests are slow themselves: without kept connections the queue is served in order.
        if (
            ! $recording->mayKeepConnections
            || $traffic === null
            || $traffic->requests === 0
            || $traffic->timeouts < self::GIVEN_UP * $traffic->requests
            || $traffic->perSecond <= 0.0
        ) {
            return null;
        }

        $seconds = ($recording->maxQueueLength() ?? 0) / $traffic->perSecond;

        // Half of the responses were faster than that too, so it is not a pause of all requests.
        return $seconds < self::SHORT_QUEUE_SECONDS && ($traffic->p50Ms ?? INF) < 1_000 * self::SHORT_QUEUE_SECONDS
            ? $seconds
            : null;
    }
}
