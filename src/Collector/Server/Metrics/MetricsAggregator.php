<?php

declare(strict_types=1);

namespace Headroom\Collector\Server\Metrics;

use Headroom\Collector\Server\DeliveryState;
use Headroom\Collector\Server\StaleWorkers;
use Headroom\Collector\Server\StateDirectory;
use Headroom\Collector\Server\WorkerPool;
use Headroom\Core\HeadroomException;
use Headroom\Spool\Services\SpoolServices;

/**
 * What is looked after about once a second while nobody calls: the counters of the dead, and how the buffer is, which
 * workers must not stop for.
 *
 * @internal
 */
final class MetricsAggregator
{
    private const LOOK_NANOS = 2_000_000_000;

    private int $lookAt = 0;

    /** @var array<string, int|float> */
    private array $gauges = [];

    private readonly string $id;

    public function __construct(
        private readonly WorkerPool $crew,
        private readonly StateDirectory $home,
        private readonly MetricsFiles $metrics,
        private readonly SpoolServices $spool,
    ) {
        $this->id = getmypid().'-'.$spool->clock()->micros();
    }

    public function look(): void
    {
        // Looked at once: one that writes for the first time after this is not dead for being in no list of the living.
        $ids = $this->home->names('metrics');
        $this->metrics->bury(array_values(array_diff($ids, $this->living($ids))));
        $now = $this->spool->clock()->monotonicNanos();

        if ($now >= $this->lookAt) {
            $this->lookAtBuffer();
            $took = $this->spool->clock()->monotonicNanos() - $now;
            // A large backlog takes its time to look at, and must not be all this process does.
            $this->lookAt = $now + max(self::LOOK_NANOS, 20 * $took);
        }

        $restarts = [];

        foreach ($this->crew->restarts() as $reason => $count) {
            $restarts['headroom_worker_restarts_total{reason="'.$reason.'"}'] = $count;
        }

        $this->metrics->publish($this->id, $restarts, $this->gauges);
    }

    /**
     * In a container the same few numbers of processes come again after each start: of one number only the last one to
     * have it lives, and only if it is a collector's.
     *
     * @param list<string> $ids
     * @return list<string> of these those who may still write
     */
    private function living(array $ids): array
    {
        $last = [];

        foreach ($ids as $id) {
            [$pid, $since] = array_map(intval(...), explode('-', $id, 3) + [1 => '0']);

            if (
                $since >= ($last[$pid][0] ?? 0)
                && ($pid === getmypid()
                    ? $id === $this->id
                    : StaleWorkers::isWorker($pid) || (! is_dir('/proc') && posix_kill($pid, 0)))
            ) {
                $last[$pid] = [$since, $id];
            }
        }

        return array_column($last, 1);
    }

    private function lookAtBuffer(): void
    {
        try {
            $status = $this->spool->status();
        } catch (HeadroomException) {
            // spool:health and spool:status have the words; the numbers are left out.
            $this->gauges = [];

            return;
        }

        $buckets = [];
        $gauges = [];

        foreach ($status->buckets as $bucket) {
            $buckets[$bucket->bucket] = [
                'bytes' => $bucket->storage->usedBytes,
                'events' => $bucket->events->pending,
                'delivery' => DeliveryState::of($bucket)->value,
            ];
            $label = "bucket=\"{$bucket->bucket}\"";
            $gauges["headroom_spool_bytes{{$label}}"] = $bucket->storage->usedBytes;
            $gauges["headroom_spool_segments{{$label}}"] = $bucket->storage->segments;
            $gauges["headroom_spool_events{{$label}}"] = $bucket->events->pending;
            $gauges["headroom_spool_oldest_age_seconds{{$label}}"] = $bucket->oldestSeconds ?? 0;

            if ($bucket->sink !== null) {
                // What the buffer counts outlives this process, so it is no part of what the dead leave.
                $sink = addcslashes($bucket->sink, "\\\"\n");
                $gauges["headroom_sink_sent_total{{$label},sink=\"{$sink}\"}"] = $bucket->events->delivered;
                $gauges["headroom_sink_failed_total{{$label},sink=\"{$sink}\"}"] = $bucket->flush->failed;
                $gauges["headroom_sink_retried_total{{$label},sink=\"{$sink}\"}"] = $bucket->events->retried;
                $gauges["headroom_sink_deadletter_total{{$label},sink=\"{$sink}\"}"] = $bucket->events->dead;
            }
        }

        $free = @disk_free_space($this->home->root);
        $this->gauges = $gauges + ($free === false ? [] : ['headroom_spool_free_bytes' => (int) $free]);
        $this->home->write(
            'spool',
            ['at' => intdiv($this->spool->clock()->micros(), 1_000_000), 'buckets' => $buckets],
        );
    }
}
