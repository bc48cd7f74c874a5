<?php

declare(strict_types=1);

namespace Headroom\Laravel\Http\Dashboard\Data;

use Headroom\Collector\Server\Metrics\MetricsFiles;
use Headroom\Collector\Server\StateDirectory;
use Headroom\Core\HeadroomException;
use Headroom\Laravel\Doctor\DoctorRun;
use Headroom\Spool\Services\SpoolServices;
use Illuminate\Contracts\Config\Repository;
use Illuminate\Contracts\Foundation\Application;

/**
 * What else runs on this machine: the collector, the queues and the doctor. Queues may be in a database, so this can
 * fail alone.
 *
 * @internal
 */
final readonly class MachineDocument
{
    public function __construct(private Application $app, private SpoolServices $spool) {}

    /** @return array<string, mixed> */
    public function toArray(): array
    {
        return [
            'collectors' => $this->collectors(),
            'queues' => (new QueueSizes($this->app))->toArray(),
            'doctor' => (new DoctorRun($this->app, $this->spool->clock()))->toArray(),
        ];
    }

    /** @return list<array<string, mixed>> */
    private function collectors(): array
    {
        $config = $this->spool->config();
        $directory = new StateDirectory($config->path, $config->directoryMode(), $config->fileMode());

        try {
            if (! $directory->isLocked()) {
                return [];
            }
        } catch (HeadroomException) {
            return []; // The collector belongs to a user whose files this one cannot read.
        }

        $status = $directory->read('status');
        $listen = array_filter((array) ($status['listen'] ?? []), is_string(...));
        $bucket = $this->app->make(Repository::class)->get('headroom.collector.bucket');
        $processes = array_filter((array) ($status['processes'] ?? []), is_array(...));
        $seconds = array_filter(array_column($processes, 'seconds'), is_int(...));
        $sums = (new MetricsFiles($directory))->sum();

        return [[
            'bucket' => is_string($bucket) ? $bucket : null,
            'listen' => implode(', ', $listen),
            'workers' => self::sum($sums, 'headroom_workers'),
            'connections' => self::sum($sums, 'headroom_connections'),
            'accepted_total' => self::sum($sums, 'headroom_events_accepted_total'),
            'rejected_total' => self::sum($sums, 'headroom_events_rejected_total')
                + self::sum($sums, 'headroom_events_refused_total'),
            'requests_total' => self::sum($sums, 'headroom_http_requests_total'),
            'memory_bytes' => self::sum($sums, 'headroom_memory_bytes'),
            'started_at' => $seconds === []
                ? null
                : $this->spool->clock()->micros() / 1_000_000 - max($seconds),
        ]];
    }

    /** @param array<string, int|float> $series */
    private static function sum(array $series, string $name): int
    {
        $sum = 0;

        foreach ($series as $key => $value) {
            $sum += $key === $name || str_starts_with($key, "{$name}{") ? $value : 0;
        }

        return (int) $sum;
    }
}
