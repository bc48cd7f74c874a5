<?php

declare(strict_types=1);

namespace Headroom\Tests\Support;

use RuntimeException;

/**
 * Results of all experiments that nobody measured. Every figure is another one, so that none can stand in another's place.
 */
final readonly class IndexResults
{
    private const MACHINE = ['cpu' => 'A processor', 'cores' => 2, 'memory_mb' => 4096, 'kernel' => 'Linux 6.1', 'php' => '8.2.0 cli NTS', 'ini' => [], 'commit' => 'abc1234', 'date' => '2026-01-02T03:04:05Z'];

    /** @param array<string, array<string, mixed>> $files by experiment */
    private function __construct(private array $files) {}

    public static function whole(): self
    {
        return new self([
            'write-buffer' => self::parts('write-buffer', [
                'contended' => [['c' => self::endpoints(111.0, 555.0, 5.5, true), 'c_2ms' => self::endpoints(222.0, 444.0, 2.1, false), 'paced' => self::endpoints(112.0, 556.0, 5.6, true), 'few_workers' => self::endpoints(113.0, 557.0, 4.1, false)], []],
                'endpoints' => [['a' => self::endpoints(265.0, 392.0, 1.63, true), 'b' => self::endpoints(284.0, 622.0, 2.21, true)], []],
                'flush' => [[], ['flush_ratio_sqlite' => 0.87]],
            ]),
            'bottleneck' => self::parts('bottleneck', ['stages' => [['stages' => array_map(self::stage(...), ['baseline', 'packages', 'keepalive', 'limits', 'cpus', 'files', 'persistent'], [0.47, 0.48, 0.79, 0.51, 0.52, 0.001, 0.002])], ['stages_ill' => 5, 'stages_named' => 5, 'stages_false_alarms' => 0, 'seconds_to_cause' => 24.7]], 'fixes' => [[], ['stages_mended' => 2, 'stages_fixed_by_text' => 2]]]),
            'queues' => self::parts('queues', ['empty' => [['given' => [], 'findings' => [self::queue('redis', 5201.0), self::queue('beanstalkd', 9502.0), self::queue('database:mariadb', 983.0), self::queue('database:pgsql', 1104.0), [...self::queue('database:sqlite', 705.0), 'workload' => ['jobs' => 60000, 'workers' => 1]]]], []], 'slow' => [['given' => [], 'findings' => [self::slow('redis, --tries=3', 10, 17, 6, 1, 2), self::slow('database:sqlite, --tries=3', 1, 5, 0, 0, 0)]], []], 'arrivals' => [['given' => [], 'findings' => [[...self::queue('redis, block_for 5', 77.0), 'wait_ms' => ['p50' => 3.21, 'p90' => 4.0, 'p99' => 5.43, 'max' => 1234.0]]]], []], 'cache' => [['given' => [], 'findings' => [self::queue('redis, array', 5302.0)]], []], 'by-hand' => [['given' => [], 'rows' => [['driver' => 'redis', 'compared' => ['ratio' => 1.01, 'p25' => 0.98, 'p75' => 1.03], 'within_iqr' => true, 'difference_seen' => false]]], []]]),
            'preload' => self::parts('preload', ['strategies' => [['findings' => array_map(self::list(...), ['plain', '-o', '-o -a', 'laravel', 'refined', 'vendors', 'hot', 'hot-laravel', 'article'], [1.0, 1.33, 1.44, 1.52, 1.55, 1.93, 1.95, 1.58, 1.67])], []]]),
            'collector' => self::parts('collector', [
                'figures' => [array_map(static fn (array $p50): array => array_map(self::step(...), [100, 1000], $p50), ['hello_x' => [0.4, 0.3], 'hello_a' => [0.5, 0.41], 'slow_x' => [2001.0, 2002.0], 'slow_a' => [5389.0, null], 'log_x' => [1.1, 0.73], 'log_a' => [3.3, 2.36]]), []],
                'hello' => [['100' => ['collector_vs_fpm' => self::samples(4.51)], '1000' => ['collector_vs_fpm' => self::samples(4.52)]], []],
                'slow' => [['ideal_share' => 0.987, 'acks_beside' => ['p99_ms' => 7.3]], []],
            ]),
            'load' => ['experiment' => 'load', 'machine' => self::MACHINE, 'rates' => array_fill_keys(['10', '100'], array_map(self::samples(...), ['load_1' => 65001.0, 'load_2' => 60002.0, 'wrk_1' => 114003.0, 'wrk_2' => 79004.0])), 'result' => ['percentile_error' => 0.0012, 'percentile_error_worst' => 0.0023]],
            'logs' => ['experiment' => 'logs', 'machine' => self::MACHINE, 'mb_per_second' => $logs = array_fill_keys(['slow', 'slow_gz', 'nginx_error', 'fpm_error', 'access'], self::samples(211.0)), 'mb_per_cpu_second' => $logs, 'result' => ['peak_mb' => array_fill_keys(array_keys($logs), 8.4)]],
            'durability' => ['experiment' => 'durability', 'machine' => self::MACHINE, 'filesystem' => 'ext4', 'micros' => array_fill_keys(['opened', 'kept'], array_fill_keys(['process', 'interval', 'power'], ['p50' => 7.91, 'p99' => 66.3])), 'result' => []],
            'torture' => ['experiment' => 'torture', 'machine' => self::MACHINE, 'result' => array_fill_keys(['sqlite', 'mariadb', 'pgsql'], ['acknowledged' => 2302782, 'writer_kills' => 1498, 'flusher_kills' => 761, 'crash_points' => 1094, 'lost' => 0, 'double' => 0])],
        ]);
    }

    /** @param list<string|int> $path in the results of the experiment */
    public function with(string $experiment, array $path, mixed $value): self
    {
        return new self([...$this->files, $experiment => self::set($this->files[$experiment], $path, $value)]);
    }

    public function without(string ...$experiments): self
    {
        return new self(array_diff_key($this->files, array_flip($experiments)));
    }

    public function write(string $directory, bool $isQuick = false): void
    {
        foreach ($this->files as $name => $file) {
            $path = "{$directory}/{$name}".($isQuick && $name !== 'torture' ? '-quick' : '').'.json';
            file_put_contents($path, json_encode($file, JSON_THROW_ON_ERROR | JSON_PRESERVE_ZERO_FRACTION)) > 0 || throw new RuntimeException("{$path} could not be written.");
        }
    }

    /**
     * @param array<string, array{array<mixed>, array<mixed>}> $parts figures and result
     * @return array<string, mixed>
     */
    private static function parts(string $experiment, array $parts): array
    {
        return ['experiment' => $experiment, 'quick' => false, 'result' => [], 'parts' => array_map(static fn (array $part): array => ['machine' => self::MACHINE, 'figures' => $part[0], 'result' => $part[1]], $parts)];
    }

    /** @return array<string, mixed> */
    private static function endpoints(float $sync, float $buffered, float $ratio, bool $hasNone): array
    {
        $side = static fn (float $rate): array => ['requests_per_second' => self::samples($rate), 'p50_ms' => self::samples(100_000 / $rate), 'p95_ms' => self::samples(200_000 / $rate)];

        return [
            'endpoints' => [...($hasNone ? ['none' => $side($buffered + 50)] : []), 'sync' => $side($sync), 'buffered' => $side($buffered)],
            'buffered_vs_sync' => self::samples($ratio), 'buffered_vs_none' => $hasNone ? self::samples(0.9) : null,
            'p50_ratio' => self::samples($ratio + 0.01), 'p95_ratio' => self::samples($ratio + 0.02),
            'errors' => 0, 'sync_errors' => 0, 'acknowledged' => 29419, 'lost' => 0, 'double' => 0,
        ];
    }

    /** @return array<string, mixed> */
    private static function stage(string $stage, float $errors): array
    {
        return [
            'stage' => $stage,
            'load' => ['requests' => 1750, 'error_rate' => $errors, 'mean_ms' => 7193.2, 'p95_ms' => 8001.5, 'succeeded_per_second' => 22.3, 'redis_clients_most' => 23, 'redis_connections_per_second' => 85.8, 'cpu_share' => 0.203],
            'judged' => ['right' => true, 'words' => "named what is wrong at {$stage}"],
        ];
    }

    /** @return array<string, mixed> as Finding writes it */
    private static function queue(string $variant, float $rate): array
    {
        return [
            'variant' => $variant,
            'driver' => ['software' => 'A server 7', 'durability' => 'each job', 'settings' => [], 'notes' => []],
            'workload' => ['jobs' => 60000, 'workers' => 10],
            'jobs_per_s' => $rate, 'iqr_share' => 0.03, 'runs' => 3, 'valid_runs' => 3, 'throttled_runs' => 0, 'lost' => 0, 'double' => 0, 'failed' => 0,
            'p25' => $rate - 10, 'p75' => $rate + 10, 'wait_ms' => null, 'refused' => '', 'why_spread' => '',
            'outcomes' => array_map(static fn (float $one): array => ['jobs_per_s' => $one, 'valid' => true], [$rate - 20, $rate, $rate + 20]),
        ];
    }

    /** @return array<string, mixed> of five jobs in one run */
    private static function slow(string $variant, int $workers, int $executions, int $double, int $lost, int $failed): array
    {
        return [
            ...self::queue($variant, 1.0), 'workload' => ['jobs' => 5, 'workers' => $workers], 'jobs_per_s' => null, 'p25' => null, 'p75' => null, 'iqr_share' => null,
            'runs' => 1, 'valid_runs' => 0, 'lost' => $lost, 'double' => $double, 'failed' => $failed,
            'outcomes' => [['jobs' => 5, 'executions' => $executions, 'jobs_per_s' => 0.29, 'valid' => false]],
        ];
    }

    /** @return array<string, mixed> */
    private static function list(string $variant, float $ratio): array
    {
        $pages = ['GET /pages/json' => $ratio + 0.1, 'GET /pages/blade' => $ratio];

        return [
            'variant' => $variant, 'files' => 663, 'pages_changed' => $variant === 'article' ? ['GET /a', 'GET /b', 'GET /c'] : [], 'rps_ratio_to_plain' => $ratio,
            'rates' => array_map(static fn (float $times): array => ['per_second' => self::samples(500 * $times)], $pages),
            'rates_to_plain' => array_map(static fn (float $times): array => ['ratio' => $times, 'p25' => $times - 0.02, 'p75' => $times + 0.03, 'seen' => $variant !== '-o'], $pages),
        ];
    }

    /** @return array<string, mixed> */
    private static function step(int $users, ?float $p50): array
    {
        return $p50 === null
            ? ['users' => $users, 'requests_per_second' => 0, 'p50_ms' => 0.2, 'p95_ms' => 0.5, 'refused' => 11181, 'broken' => 0]
            : ['users' => $users, 'requests_per_second' => 0.97 * $users, 'p50_ms' => $p50, 'p95_ms' => 2 * $p50, 'refused' => 0, 'broken' => 0];
    }

    /** @return array<string, float|int> */
    private static function samples(float $median): array
    {
        return ['median' => $median, 'min' => 0.9 * $median, 'max' => 1.2 * $median, 'spread' => 0.1, 'samples' => 7];
    }

    /**
     * @param array<mixed> $in
     * @param list<string|int> $path
     * @return array<string, mixed>
     */
    private static function set(array $in, array $path, mixed $value): array
    {
        $key = array_shift($path);
        $key === null && throw new RuntimeException('The path is empty.');
        $of = $in[$key] ?? null;
        $in[$key] = $path === [] ? $value : self::set(is_array($of) ? $of : [], $path, $value);

        /** @var array<string, mixed> $in */
        return $in;
    }
}
