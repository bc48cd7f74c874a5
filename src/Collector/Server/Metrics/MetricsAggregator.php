<?php

declare(strict_types=1);

namespace Headroom\Collector\Server\Metrics;

use Headroom\Collector\Server\DeliveryState;
use Headroom\Collector\Server\StaleWorkers;
use Headroom\Collector\Server\StateDirectory;
use Headroom\Collector\Server\WorkerPool;
use Headroom\Core\HeadroomException;
use Headroom\Spool\Services\SpoolMetrics;
use Headroom\Spool\Services\SpoolServices;

/**
 * Merges the counters of exited workers about once a second. It refreshes the gauges of the buffer at most every two
 * seconds, and less often if the backlog is large. It runs in the supervisor, so that workers never block on either.
 *
 * @internal
 */
final class MetricsAggregator
{
    private const BUFFER_NANOS = 2_000_000_000;

    private int $nextBufferCheck = 0;

    /** @var array<string, int|float> */
    private array $gauges = [];

    private readonly string $id;

    public function __construct(
        private readonly WorkerPool $pool,
        private readonly StateDirectory $stateDirectory,
        private readonly MetricsFiles $metrics,
        private readonly SpoolServices $spool,
    ) {
        $this->id = getmypid().'-'.$spool->clock()->micros();
    }

    public function tick(): void
    {
        // List the files first: a process that publishes after this line is not taken for an exited one.
        $ids = $this->stateDirectory->names('metrics');
        $this->metrics->mergeExited(array_values(array_diff($ids, $this->running($ids))));
        $now = $this->spool->clock()->monotonicNanos();

        if ($now >= $this->nextBufferCheck) {
            $this->checkBuffer();
            $took = $this->spool->clock()->monotonicNanos() - $now;
            // Reading a large backlog takes long. Spend at most a twentieth of the time on it.
            $this->nextBufferCheck = $now + max(self::BUFFER_NANOS, 20 * $took);
        }

        $restarts = [];

        foreach ($this->pool->restarts() as $reason => $count) {
            $restarts['headroom_worker_restarts_total{reason="'.$reason.'"}'] = $count;
        }

        $this->metrics->publish($this->id, $restarts, $this->gauges);
    }

    /**
     * A container reuses a few pids after each start: of the files with one pid, only the newest can belong to a
     * running process, and only if that process is a worker of a collector.
     *
     * @param list<string> $ids
     * @return list<string> those that may still write
     */
    private function running(array $ids): array
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

    private function checkBuffer(): void
    {
        try {
            // A database that hangs must not stop the supervisor, which no signal would reach.
            $status = $this->spool->statusWithoutSql();
        } catch (HeadroomException) {
            // spool:health and spool:status report the error. The gauges are left out.
            $this->gauges = [];

            return;
        }

        $buckets = [];

        foreach ($status->buckets as $bucket) {
            $buckets[$bucket->bucket] = [
                'bytes' => $bucket->storage->usedBytes,
                'events' => $bucket->events->pending,
                'delivery' => DeliveryState::of($bucket)->value,
            ];
        }

        // The buffer stores its counters itself, so they are not merged at exit.
        $this->gauges = (new SpoolMetrics($this->spool))->series($status);
        $this->stateDirectory->write(
            'spool',
            ['at' => intdiv($this->spool->clock()->micros(), 1_000_000), 'buckets' => $buckets],
        );
    }
}
