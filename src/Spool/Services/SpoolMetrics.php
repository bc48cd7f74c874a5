<?php

declare(strict_types=1);

namespace Headroom\Spool\Services;

use Headroom\Core\HeadroomException;
use Headroom\Spool\BucketStatus;
use Headroom\Spool\FileStore\Segment\DiskQuota;
use Headroom\Spool\FileStore\State\StateFile;
use Headroom\Spool\Monitoring\StatusReader;
use Headroom\Spool\SpoolStatus;
use Headroom\Support\HostName;
use Headroom\Support\MetricsText;
use Headroom\Support\PhpRestrictions;
use Throwable;

/**
 * The buffer of this machine as metrics of Prometheus. docs/prometheus.md has their names in OpenTelemetry.
 *
 * @internal
 */
final readonly class SpoolMetrics
{
    /** By metric: type and help text. */
    public const METRICS = [
        'headroom_spool_info' => ['gauge', 'Always 1, with the version, the node id and the host name.'],
        'headroom_spool_config_info' => ['gauge', 'Always 1, with the store and the durability of a bucket.'],
        'headroom_spool_read_failed' => [
            'gauge', '1 if the bucket could not be read, so that its other values are missing or too small.',
        ],
        'headroom_spool_bytes' => ['gauge', 'Size of segment files with undelivered events, by bucket.'],
        'headroom_spool_max_bytes' => ['gauge', 'Limit of that size, by bucket with a limit.'],
        'headroom_spool_segments' => ['gauge', 'Segment files with undelivered events, by bucket.'],
        'headroom_spool_events' => ['gauge', 'Undelivered events, by bucket.'],
        'headroom_spool_oldest_age_seconds' => ['gauge', 'Age of the oldest undelivered event, by bucket.'],
        'headroom_spool_missing' => ['gauge', 'Accepted events that no file has any more, by bucket.'],
        'headroom_spool_dead_letters' => ['gauge', 'Dead letters that wait, by bucket.'],
        'headroom_spool_paused' => ['gauge', '1 while the delivery of the bucket is paused.'],
        'headroom_spool_last_flush_timestamp_seconds' => ['gauge', 'When a flush last claimed the bucket on disk.'],
        'headroom_spool_free_bytes' => ['gauge', 'Free space on the disk of the buffer.'],
        'headroom_spool_min_free_bytes' => ['gauge', 'Free space that the buffer leaves to others.'],
        'headroom_spool_events_accepted_total' => ['counter', 'Events accepted, by bucket.'],
        'headroom_spool_events_direct_total' => [
            'counter', 'Accepted events that went to the sink because the buffer could not store them, by bucket.',
        ],
        'headroom_spool_events_bypassed_total' => [
            'counter', 'Accepted events that went to the sink because the caller asked for it, by bucket.',
        ],
        'headroom_spool_events_dropped_total' => ['counter', 'Accepted events dropped, by bucket and reason.'],
        'headroom_spool_events_refused_total' => [
            'counter', 'Events not accepted, so that the caller got an exception, by bucket and reason.',
        ],
        'headroom_sink_events_delivered_total' => ['counter', 'Events delivered, by bucket and sink.'],
        'headroom_sink_delivery_failures_total' => [
            'counter', 'Failed deliveries that the flusher retries, by bucket and sink.',
        ],
        'headroom_sink_events_retried_total' => [
            'counter', 'Events that a failed delivery had sent and that are sent again, by bucket and sink.',
        ],
        'headroom_sink_events_replayed_total' => [
            'counter', 'Delivered events that a replay or a restored database takes back, by bucket and sink.',
        ],
        'headroom_sink_events_dead_lettered_total' => ['counter', 'Events moved to dead letters, by bucket and sink.'],
        'headroom_sink_last_delivery_timestamp_seconds' => [
            'gauge', 'When events were last delivered, by bucket and sink.',
        ],
        'target_info' => ['gauge', 'Always 1, with the resource attributes of OpenTelemetry.'],
    ];

    public function __construct(private SpoolServices $spool) {}

    public function text(SpoolStatus $status): string
    {
        return MetricsText::of(self::METRICS, $this->series($status));
    }

    /** @return array<string, int|float> values by series */
    public function series(SpoolStatus $status): array
    {
        $host = HostName::own();
        $version = self::version();
        $node = $status->node ?? '';
        $free = (new DiskQuota($this->spool->config(), 'any'))->free();
        $series = [
            MetricsText::series(
                'headroom_spool_info',
                ['version' => $version, 'node' => $node, 'host' => $host],
            ) => 1,
            MetricsText::series('target_info', [
                'service_name' => 'headroom',
                'service_instance_id' => $node === '' ? $host : $node,
                'service_version' => $version,
                'host_name' => $host,
            ]) => 1,
            'headroom_spool_min_free_bytes' => $this->spool->config()->minFreeBytes(),
            ...($free === null ? [] : ['headroom_spool_free_bytes' => $free]),
        ];

        foreach ($status->buckets as $bucket) {
            $series += $this->bucket($bucket);
        }

        return $series;
    }

    /** @return array<string, int|float> */
    private function bucket(BucketStatus $bucket): array
    {
        $of = ['bucket' => $bucket->bucket];
        $to = $bucket->sink === null ? $of : [...$of, 'sink' => $bucket->sink];
        $config = [...$to, 'store' => $bucket->store, 'durability' => $bucket->durability->value];
        $isFailed = $bucket->error !== null && $bucket->error !== StatusReader::TOO_FAST;
        $series = [
            MetricsText::series('headroom_spool_config_info', $config) => 1,
            MetricsText::series('headroom_spool_read_failed', $of) => (int) $isFailed,
        ];

        if ($isFailed && ($bucket->store !== 'file' || $bucket->events->accepted === 0)) {
            return $series;
        }

        // A counter that falls and rises again would look like new events.
        foreach ([...$this->gauges($bucket), ...($isFailed ? [] : self::counters($bucket))] as $name => $value) {
            if ($value !== null) {
                $series[MetricsText::series($name, str_starts_with($name, 'headroom_sink_') ? $to : $of)] = $value;
            }
        }

        foreach ($isFailed ? [] : [
            'headroom_spool_events_dropped_total' => $bucket->backpressure->droppedByReason,
            'headroom_spool_events_refused_total' => $bucket->backpressure->refusedByReason,
        ] as $name => $counts) {
            foreach ($counts as $reason => $count) {
                $series[MetricsText::series($name, [...$of, 'reason' => $reason])] = $count;
            }
        }

        return $series;
    }

    /** @return array<string, int|float|null> */
    private function gauges(BucketStatus $bucket): array
    {
        return [
            'headroom_spool_bytes' => $bucket->storage->usedBytes,
            'headroom_spool_max_bytes' => $bucket->storage->maxBytes,
            'headroom_spool_segments' => $bucket->storage->segments,
            'headroom_spool_events' => $bucket->events->pending,
            'headroom_spool_oldest_age_seconds' => $bucket->oldestSeconds ?? 0,
            'headroom_spool_missing' => $bucket->events->missing,
            'headroom_spool_dead_letters' => $bucket->storage->letters,
            'headroom_spool_paused' => (int) ($bucket->paused !== null),
            'headroom_spool_last_flush_timestamp_seconds' => $this->flushedAt($bucket),
            'headroom_sink_last_delivery_timestamp_seconds' => $this->deliveredAt($bucket),
        ];
    }

    /** @return array<string, int> */
    private static function counters(BucketStatus $bucket): array
    {
        return [
            'headroom_spool_events_accepted_total' => $bucket->events->accepted,
            'headroom_spool_events_direct_total' => $bucket->backpressure->direct,
            'headroom_spool_events_bypassed_total' => $bucket->backpressure->bypassed,
            // A replay takes its events off the delivered ones, but a counter must not fall.
            'headroom_sink_events_delivered_total' => $bucket->events->delivered + $bucket->events->replayed,
            'headroom_sink_delivery_failures_total' => $bucket->flush->failed,
            'headroom_sink_events_retried_total' => $bucket->events->retried,
            'headroom_sink_events_replayed_total' => $bucket->events->replayed,
            // A retried dead letter no longer counts as dead.
            'headroom_sink_events_dead_lettered_total' => $bucket->events->dead + $bucket->events->retriedLetters,
        ];
    }

    private function flushedAt(BucketStatus $bucket): ?int
    {
        try {
            return $bucket->store === 'file' ? $this->spool->store()->flushedAt($bucket->bucket) : null;
        } catch (HeadroomException) {
            return null;
        }
    }

    /** Time passes while buckets are read, so a time that is derived from an age would differ at each reading. */
    private function deliveredAt(BucketStatus $bucket): ?int
    {
        if ($bucket->flush->flushedSeconds === null) {
            return null;
        }

        try {
            $store = $this->spool->store();
            $at = $bucket->store === 'file'
                ? (new StateFile($store->layout($bucket->bucket)->stateFile, $store->permissions))->read()->flushedAt
                : $this->spool->clock()->micros() - (int) ($bucket->flush->flushedSeconds * 1_000_000);

            return intdiv($at, 1_000_000);
        } catch (HeadroomException) {
            return null;
        }
    }

    private static function version(): string
    {
        try {
            // Composer registers this class in every installation.
            $version = PhpRestrictions::call('Composer\InstalledVersions::getPrettyVersion', 'headroom/headroom');

            return is_string($version) ? $version : 'unknown';
        } catch (Throwable) {
            return 'unknown';
        }
    }
}
