<?php

declare(strict_types=1);

namespace Headroom\Collector\Server;

use Headroom\Core\HeadroomException;
use Headroom\Spool\Runtime;

/**
 * What is looked after about once a second while nobody calls: the counters of the dead, and how the buffer is, which workers must
 * not stop for.
 *
 * @internal
 */
final class Ministry
{
    private const LOOK_NANOS = 2_000_000_000;

    private int $lookAt = 0;

    /** @var array<string, int|float> */
    private array $gauges = [];

    public function __construct(private readonly Crew $crew, private readonly Home $home, private readonly Metrics $metrics, private readonly Runtime $spool) {}

    public function look(): void
    {
        $living = array_filter($this->home->names('metrics'), static fn (string $id): bool => posix_kill((int) $id, 0));
        $this->metrics->buryAllBut(array_values($living));
        $now = $this->spool->clock()->monotonicNanos();

        if ($now >= $this->lookAt) {
            $this->lookAtBuffer();
            $took = $this->spool->clock()->monotonicNanos() - $now;
            // A large backlog takes its time to look at, and must not be all this process does.
            $this->lookAt = $now + max(self::LOOK_NANOS, 20 * $took);
        }

        $restarts = [];

        foreach ($this->crew->restarts as $reason => $count) {
            $restarts['headroom_worker_restarts_total{reason="'.$reason.'"}'] = $count;
        }

        $this->metrics->publish(getmypid().'-supervisor', $restarts, $this->gauges);
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
            $buckets[$bucket->bucket] = ['bytes' => $bucket->usedBytes, 'events' => $bucket->pending];
            $label = "bucket=\"{$bucket->bucket}\"";
            $gauges["headroom_spool_bytes{{$label}}"] = $bucket->usedBytes;
            $gauges["headroom_spool_segments{{$label}}"] = $bucket->segments;
            $gauges["headroom_spool_events{{$label}}"] = $bucket->pending;
            $gauges["headroom_spool_oldest_age_seconds{{$label}}"] = $bucket->oldestSeconds ?? 0;

            if ($bucket->sink !== null) {
                // What the buffer counts outlives this process, so it is no part of what the dead leave.
                $sink = addcslashes($bucket->sink, "\\\"\n");
                $gauges["headroom_sink_sent_total{{$label},sink=\"{$sink}\"}"] = $bucket->delivered;
                $gauges["headroom_sink_failed_total{{$label},sink=\"{$sink}\"}"] = $bucket->failed;
                $gauges["headroom_sink_retried_total{{$label},sink=\"{$sink}\"}"] = $bucket->retried;
                $gauges["headroom_sink_deadletter_total{{$label},sink=\"{$sink}\"}"] = $bucket->dead;
            }
        }

        $free = @disk_free_space($this->home->root);
        $this->gauges = $gauges + ($free === false ? [] : ['headroom_spool_free_bytes' => (int) $free]);
        $this->home->write('spool', ['at' => intdiv($this->spool->clock()->micros(), 1_000_000), 'buckets' => $buckets]);
    }
}
