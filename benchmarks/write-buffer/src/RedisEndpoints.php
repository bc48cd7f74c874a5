<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\WriteBuffer;

use Headroom\Bench\Samples;
use Headroom\Load\Generator;
use Headroom\Load\LoadResult;
use Headroom\Load\Outcome;
use Headroom\Load\Plan;
use PDO;
use RuntimeException;
use Workbench\Rig\PageViews;
use Workbench\Rig\Rig;

/**
 * Two endpoints that write to the same Redis: one with a bare XADD through Laravel's facade, one through the buffer's Redis
 * store, which spool:work empties all the time. They take turns as those of Endpoints do.
 */
final class RedisEndpoints
{
    private const WORKERS = 50;

    private const CONNECTIONS = 100;

    private const LEAD_SECONDS = 1.0;

    private const SETTLE_MICROS = 1_200_000;

    private const ENDPOINTS = ['xadd', 'buffered-redis'];

    /** @var array<string, list<LoadResult>> by endpoint, one per round */
    private array $results = ['xadd' => [], 'buffered-redis' => []];

    /** @var array<string, true> by the endpoint that delivers */
    private array $acknowledged = [];

    /**
     * @param array<string, string> $variables DB_* and REDIS_* as the application sees them
     * @param callable(string): void $say
     */
    public function __construct(
        private readonly array $variables,
        private readonly PDO $direct,
        private readonly int $rounds,
        private readonly float $seconds,
        private $say,
    ) {}

    /** @return array<string, mixed> */
    public function run(): array
    {
        $rig = new Rig($this->variables);

        try {
            $rig->prepare();
            $stack = $rig->serve(self::WORKERS);
            $worker = $rig->worker();

            foreach (self::ENDPOINTS as $endpoint) {
                $this->load($stack->url(), $endpoint, 'warm', min(1.0, $this->seconds));
            }

            for ($round = 0; $round < $this->rounds; $round++) {
                foreach ($round % 2 === 0 ? self::ENDPOINTS : array_reverse(self::ENDPOINTS) as $endpoint) {
                    $this->load($stack->url(), $endpoint, "{$round}-lead", self::LEAD_SECONDS);
                    $result = $this->load($stack->url(), $endpoint, (string) $round, $this->seconds);
                    $this->results[$endpoint][] = $result;
                    usleep(self::SETTLE_MICROS);
                    ($this->say)(sprintf('  round %d of %d, %-14s %7.0f requests/s', $round + 1, $this->rounds, $endpoint, $result->requestsPerSecond()));
                }
            }

            $stack->stop();
            $worker->signal(15);
            $worker->wait();
            $rig->artisan('spool:flush', 'page-views-redis');

            return $this->summary($rig->status('page-views-redis'));
        } finally {
            isset($worker) && $worker->isRunning() && $worker->stop(1);
            isset($stack) && $stack->stop();
            $rig->remove();
        }
    }

    private function load(string $url, string $endpoint, string $turn, float $seconds): LoadResult
    {
        $events = new PageViews("{$url}/events/{$endpoint}", "redis-{$turn}-{$endpoint}-");
        $result = (new Generator)->run(Plan::duration($seconds, self::CONNECTIONS, timeout: 30.0), $events, $events);

        if ($endpoint === 'buffered-redis') {
            $this->acknowledged += $events->acknowledged;
        }

        return $result;
    }

    /**
     * @param array<string, mixed> $status
     * @return array<string, mixed>
     */
    private function summary(array $status): array
    {
        $statement = $this->direct->query('select seq, count(*) as copies from page_views group by seq');
        $copies = $statement === false ? throw new RuntimeException('The rows can not be counted.') : $statement->fetchAll(PDO::FETCH_KEY_PAIR);
        $all = array_merge(...array_values($this->results));

        return [
            'endpoints' => array_map($this->endpoint(...), $this->results),
            'redis_vs_xadd' => $this->ratio(static fn (LoadResult $r): float => $r->requestsPerSecond())->toArray(),
            'redis_p99_vs_xadd' => $this->ratio(static fn (LoadResult $r): float => (float) $r->latency()->percentile(99.0))->toArray(),
            'errors' => array_sum(array_map(static fn (LoadResult $r): int => $r->finished() - $r->count(Outcome::Succeeded), $all)),
            'lost' => count(array_diff_key($this->acknowledged, $copies)),
            'double' => count(array_filter($copies, static fn (mixed $n): bool => (int) $n > 1)),
            'acknowledged' => count($this->acknowledged),
            'status' => $status,
            'client_limited' => array_filter($all, static fn (LoadResult $r): bool => $r->isClientLimited()) !== [],
        ];
    }

    /**
     * @param list<LoadResult> $results
     * @return array<string, mixed>
     */
    private function endpoint(array $results): array
    {
        $of = static fn (callable $figure): array => (new Samples(array_map($figure, $results)))->toArray();

        return [
            'requests_per_second' => $of(static fn (LoadResult $r): float => $r->requestsPerSecond()),
            'p50_ms' => $of(static fn (LoadResult $r): float => (int) $r->latency()->percentile(50.0) / 1000),
            'p95_ms' => $of(static fn (LoadResult $r): float => (int) $r->latency()->percentile(95.0) / 1000),
            'p99_ms' => $of(static fn (LoadResult $r): float => (int) $r->latency()->percentile(99.0) / 1000),
        ];
    }

    /** Of what was measured in the same round. */
    private function ratio(callable $figure): Samples
    {
        return new Samples(array_map(static fn (LoadResult $x, LoadResult $y): float => $figure($y) > 0 ? $figure($x) / $figure($y) : 0.0, $this->results['buffered-redis'], $this->results['xadd']));
    }
}
