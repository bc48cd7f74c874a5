<?php

declare(strict_types=1);

namespace Headroom\Collector\Server\Metrics;

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
        'headroom_spool_bytes' => ['gauge', 'Size of segment files with undelivered events, by bucket.'],
        'headroom_spool_segments' => ['gauge', 'Segment files with undelivered events, by bucket.'],
        'headroom_spool_events' => ['gauge', 'Undelivered events, by bucket.'],
        'headroom_spool_oldest_age_seconds' => ['gauge', 'Age of the oldest undelivered event, by bucket.'],
        'headroom_spool_free_bytes' => ['gauge', 'Free space on the disk of the buffer.'],
        'headroom_sink_events_delivered_total' => ['counter', 'Events delivered, by bucket and sink.'],
        'headroom_sink_delivery_failures_total' => [
            'counter', 'Failed deliveries that the flusher retries, by bucket and sink.',
        ],
        'headroom_sink_events_retried_total' => [
            'counter', 'Events that a failed delivery had sent and that are sent again, by bucket and sink.',
        ],
        'headroom_sink_events_dead_lettered_total' => ['counter', 'Events moved to dead letters, by bucket and sink.'],
    ];

    /** @param array<string, int|float> $values by series */
    public static function of(array $values): string
    {
        $byMetric = [];

        foreach ($values as $series => $value) {
            $name = (string) preg_replace('/\{.*/', '', $series);
            $metric = isset(self::METRICS[$name])
                ? $name
                : (string) preg_replace('/_(?:bucket|count|sum)\z/', '', $name);
            $byMetric[$metric][] = "{$series} ".self::number($value);
        }

        $text = '';

        foreach (self::METRICS as $name => [$type, $help]) {
            $lines = $byMetric[$name] ?? [];

            // Prometheus reads the buckets of a histogram in ascending order.
            if ($type !== 'histogram') {
                sort($lines);
            }

            $text .= $lines === []
                ? ''
                : "# HELP {$name} {$help}\n# TYPE {$name} {$type}\n".implode("\n", $lines)."\n";
        }

        return $text;
    }

    private static function number(int|float $value): string
    {
        $text = is_int($value) ? (string) $value : rtrim(sprintf('%.6F', $value), '0');

        return str_ends_with($text, '.') ? "{$text}0" : $text;
    }
}
