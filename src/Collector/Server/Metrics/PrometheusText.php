<?php

declare(strict_types=1);

namespace Headroom\Collector\Server\Metrics;

use Headroom\Spool\Services\SpoolMetrics;
use Headroom\Support\MetricsText;

/**
 * The metrics of a collector in the text format of Prometheus.
 *
 * @internal
 */
final readonly class PrometheusText
{
    /** By metric: type and help text. */
    private const METRICS = [
        'headroom_events_accepted_total' => ['counter', 'Events stored in the buffer before the response was sent.'],
        'headroom_events_rejected_total' => ['counter', 'Events and requests rejected as invalid, by error code.'],
        'headroom_events_refused_total' => ['counter', 'Events that the buffer could not store, by reason.'],
        'headroom_events_dead_lettered_total' => ['counter', 'Rejected events stored in the dead-letter bucket.'],
        'headroom_http_requests_total' => ['counter', 'HTTP requests answered, by status code.'],
        'headroom_ack_duration_seconds' => [
            'histogram', 'Time from a parsed request with events to the end of its append.',
        ],
        'headroom_connections' => ['gauge', 'Open client connections.'],
        'headroom_connections_total' => ['counter', 'Client connections accepted.'],
        'headroom_connections_dropped_total' => ['counter', 'Client connections closed by the server, by reason.'],
        'headroom_accept_pauses_total' => [
            'counter', 'Times a worker stopped accepting because its file descriptors were in use.',
        ],
        'headroom_accept_paused' => ['gauge', 'Workers that do not accept connections for that reason now.'],
        'headroom_commits_total' => [
            'counter', 'Appends to the buffer. Requests are combined up to 256 KiB per append.',
        ],
        'headroom_handler_errors_total' => ['counter', 'Requests answered with status 500, by exception class.'],
        'headroom_loop_lag_seconds' => [
            'gauge', 'Longest delay of the event loop in the last second, over all workers.',
        ],
        'headroom_memory_bytes' => ['gauge', 'Memory of all workers.'],
        'headroom_workers' => ['gauge', 'Running workers.'],
        'headroom_worker_restarts_total' => ['counter', 'Worker processes replaced, by reason.'],
    ];

    /**
     * The metrics of the collector's own, and those of the buffer.
     *
     * @return array<string, array{string, string}> type and help text by name
     */
    public static function metrics(): array
    {
        return self::METRICS + SpoolMetrics::METRICS;
    }

    /** @param array<string, int|float> $values by series */
    public static function of(array $values): string
    {
        return MetricsText::of(self::metrics(), $values);
    }
}
