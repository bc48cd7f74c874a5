<?php

declare(strict_types=1);

namespace Headroom\Tests\Support;

/**
 * Results of the collector's benchmark that nobody measured: whole, and just good enough for every aim.
 */
final class CollectorResults
{
    private const MACHINE = ['cpu' => 'A processor', 'cores' => 2, 'memory_mb' => 4096, 'kernel' => 'Linux 6.1', 'php' => '8.2.0 cli NTS', 'ini' => ['opcache.enable' => '1'], 'commit' => 'abc1234', 'date' => '2026-01-02T03:04:05Z'];

    /** @param array<string, mixed> $parts figures and result, by part */
    private function __construct(private array $parts) {}

    public static function whole(): self
    {
        $side = ['requests_per_second' => self::samples(1000.0), 'p50_ms' => self::samples(1.0), 'p99_ms' => self::samples(150.0), 'errors' => 0];
        $wrk = ['requests' => 100, 'requests_per_second' => 10.0, 'p50_ms' => 1.0, 'p95_ms' => 2.0, 'p99_ms' => 50.0, 'refused' => 0, 'broken' => 0];
        $hello = ['workers' => 1, 'sides' => ['collector' => $side, 'fpm' => $side], 'collector_vs_fpm' => self::samples(3.0)];
        $durable = ['events_per_second' => self::samples(15_000.0), 'events_per_cpu_second' => self::samples(300_000.0), 'p99_ms' => self::samples(9.0), 'errors' => 0, 'missing' => 0];

        return new self([
            'hello' => ['figures' => ['100' => $hello, '850' => $hello, '1000' => $hello], 'result' => ['errors' => 0]],
            'slow' => ['figures' => ['ideal_share' => 0.95, 'collector' => $wrk, 'acks_beside' => $wrk, 'fpm' => ['refused' => 5] + $wrk], 'result' => ['errors' => 0]],
            'durable' => ['figures' => ['power_1' => $durable, 'power_100' => ['events_per_second' => self::samples(1_234_567.0)] + $durable, 'jit_1' => $durable, 'jit_100' => $durable, 'process_1' => $durable, 'process_100' => $durable], 'result' => ['errors' => 0, 'lost' => 0]],
            'drain' => ['figures' => ['documents_per_second' => self::samples(20_000.0), 'lost' => 0, 'double' => 0], 'result' => ['lost' => 0, 'double' => 0]],
            'down' => ['figures' => ['slow_vs_up' => self::samples(0.95), 'down_vs_up' => self::samples(0.95)], 'result' => ['refused' => 0, 'lost' => 0, 'double' => 0]],
            'reload' => ['figures' => ['reloads' => 20, 'kept' => $wrk, 'new' => $wrk, 'failed' => 0, 'missing' => 0], 'result' => ['lost' => 0]],
            'kill' => ['figures' => ['kills' => ['worker' => 20], 'acknowledged' => 1000, 'lost' => 0, 'double' => 0], 'result' => ['kills' => 20, 'lost' => 0, 'double' => 0]],
            'connections' => ['figures' => ['many' => $wrk, 'after' => $wrk, 'missing' => 0], 'result' => ['lost' => 0]],
            'lane' => ['figures' => ['sides' => ['lane' => $side, 'laravel' => $side], 'rate' => self::samples(8.0), 'p99' => self::samples(0.2), 'shared_rate' => self::samples(6.6), 'shared_p99' => self::samples(0.22)], 'result' => ['errors' => 0, 'lost' => 0]],
            'figures' => ['figures' => [
                'hello_x' => self::steps(0.9, 1.0), 'hello_a' => self::steps(0.9, 1.1),
                'slow_x' => self::steps(0.3, 2001.0), 'slow_a' => self::steps(0.01, 9000.0, refused: 7),
                'log_x' => self::steps(0.9, 2.0), 'log_a' => self::steps(0.4, 900.0),
            ], 'result' => []],
            'soak' => ['figures' => ['seconds' => 3600.0, 'soak' => $wrk, 'memory' => array_fill_keys(['worker', 'flusher', 'supervisor'], ['last_vs_first' => 1.05])], 'result' => ['refused' => 0, 'lost' => 0, 'double' => 0]],
            'outage' => ['figures' => ['waiting_when_back' => 200_000, 'caught_up_seconds' => 29.3], 'result' => ['outage_ack_share' => 0.95, 'refused' => 0, 'lost' => 0, 'double' => 0]],
        ]);
    }

    public function without(string ...$parts): self
    {
        return new self(array_diff_key($this->parts, array_flip($parts)));
    }

    /** @param string $path such as `lane/figures/rate/median` */
    public function with(string $path, mixed $value): self
    {
        return new self(self::set($this->parts, explode('/', $path), $value));
    }

    public function json(bool $isQuick = false): string
    {
        $parts = array_map(static fn (mixed $part): mixed => is_array($part) ? $part + ['machine' => self::MACHINE] : $part, $this->parts);

        return json_encode(['experiment' => 'collector', 'quick' => $isQuick, 'result' => [], 'parts' => $parts], JSON_THROW_ON_ERROR | JSON_PRESERVE_ZERO_FRACTION);
    }

    /**
     * @param array<mixed> $in
     * @param non-empty-list<string> $path
     * @return array<string, mixed>
     */
    private static function set(array $in, array $path, mixed $value): array
    {
        $key = array_shift($path);
        $of = $in[$key] ?? null;
        $in[$key] = $path === [] ? $value : self::set(is_array($of) ? $of : [], $path, $value);

        /** @var array<string, mixed> $in */
        return $in;
    }

    /** @return array<string, float|int> */
    private static function samples(float $median): array
    {
        return ['median' => $median, 'min' => $median, 'max' => $median, 'spread' => 0.12, 'samples' => 9];
    }

    /** @return list<array<string, float|int>> */
    private static function steps(float $perUser, float $millis, int $refused = 0): array
    {
        return array_map(static fn (int $users): array => [
            'users' => $users, 'seconds' => 12.0, 'requests' => 1000, 'requests_per_second' => $perUser * $users,
            'p50_ms' => $millis, 'p95_ms' => 1.5 * $millis, 'p99_ms' => 2 * $millis, 'refused' => $users === 1000 ? $refused : 0, 'broken' => 0,
        ], range(100, 1000, 100));
    }
}
