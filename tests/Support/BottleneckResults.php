<?php

declare(strict_types=1);

namespace Headroom\Tests\Support;

use Headroom\Benchmarks\Bottleneck\Stage;

/**
 * Results of the benchmark of the bottleneck that nobody measured.
 */
final readonly class BottleneckResults
{
    /** @param array<string, mixed> $parts by name */
    private function __construct(private array $parts) {}

    /**
     * One stage, with its fix.
     *
     * @param array{right: bool, words: string} $judged
     */
    public static function of(array $judged, bool $isFixed): self
    {
        $load = [
            'requests' => 1750, 'seconds' => 40.0, 'error_rate' => 0.5051, 'mean_ms' => 9929.0, 'p95_ms' => 12000.0, 'redis_clients_most' => 25, 'redis_connections_per_second' => 88.0, 'cpu_share' => 0.31,
            'timeline' => [['from_s' => 0.0, 'seconds' => 1.0, 'succeeded' => 4, 'errors' => 0, 'mean_ms' => 500.0], ['from_s' => 1.0, 'seconds' => 1.0, 'succeeded' => 0, 'errors' => 3, 'mean_ms' => 8000.0], ['from_s' => 2.0, 'seconds' => 1.0, 'succeeded' => 0, 'errors' => 0, 'mean_ms' => null]],
            'redis' => [['at_s' => 0.5, 'clients' => 20, 'connections_per_second' => 96.0], ['at_s' => 1.5, 'clients' => 25, 'connections_per_second' => 80.5]],
        ];
        $doctor = ['cause' => 'redis-connections', 'sentence' => 'Requests wait for Redis <there>.', 'seconds_to_cause' => 21.0, 'seconds' => 25.0, 'found' => ['R1'], 'findings' => [['id' => 'R1', 'severity' => 'high', 'status' => 'warn', 'subject' => '', 'message' => 'A request opens 2 new connections to Redis.']]];
        $machine = ['cpu' => 'c', 'cores' => 2, 'memory_mb' => 4096, 'kernel' => 'k', 'php' => '8.2', 'ini' => [], 'commit' => 'abc', 'date' => '2026-01-01T00:00:00Z'];
        $given = ['users' => 350, 'limit_s' => 8, 'samples' => 1750, 'line' => ['round_trip_ms' => 1.0, 'connection_ms' => 11.5]];

        return new self([
            'stages' => ['machine' => $machine, 'figures' => [...$given, 'stages' => [['stage' => 'baseline', 'quota' => 'all', 'load' => $load, 'doctor' => $doctor, 'judged' => $judged]]], 'result' => []],
            'fixes' => ['machine' => $machine, 'figures' => [...$given, 'mended' => [['stage' => 'baseline', 'steps' => [['check' => 'R1', 'text' => 'Keep connections.', 'done' => ['.env, at the end + REDIS_PERSISTENT=true'], 'load' => $load, 'gone' => true]], 'fixed' => $isFixed]]], 'result' => []],
        ]);
    }

    /** All stages of the path, and the doctor is right at each. */
    public static function whole(): self
    {
        $parts = self::of(['right' => true, 'words' => 'named redis-connections, flagged R1'], true)->parts;
        $rows = self::in($parts, ['stages', 'figures', 'stages']);

        return new self(self::set($parts, ['stages', 'figures', 'stages'], array_map(static fn (Stage $stage): array => ['stage' => $stage->value] + self::in($rows, ['0']), Stage::cases())));
    }

    /** @param string $path such as `stages/figures/stages/0/load/timeline` */
    public function with(string $path, mixed $value): self
    {
        return new self(self::set($this->parts, explode('/', $path), $value));
    }

    public function json(): string
    {
        return json_encode(['experiment' => 'bottleneck', 'quick' => false, 'parts' => $this->parts], JSON_THROW_ON_ERROR | JSON_PRESERVE_ZERO_FRACTION);
    }

    /**
     * @param array<mixed> $in
     * @param list<string> $path
     * @return array<mixed>
     */
    private static function in(array $in, array $path): array
    {
        foreach ($path as $key) {
            $in = is_array($in[$key] ?? null) ? $in[$key] : [];
        }

        return $in;
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
}
