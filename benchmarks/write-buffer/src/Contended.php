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
 * One application behind nginx and FPM, endpoints that take turns round by round, on a database that may be some
 * milliseconds away, while spool:work empties the buffer all the time. Afterwards each table is asked what it holds.
 */
final class Contended
{
    public const CONNECTIONS = 100;

    private const LEAD_SECONDS = 1.0;

    private const SETTLE_MICROS = 1_200_000;

    /** @var array<string, list<LoadResult>> by side, one per round */
    private array $results = [];

    /** @var array<string, true> */
    private array $acknowledged = [];

    /**
     * @param array<string, string> $database DB_* variables as the application sees it
     * @param non-empty-array<string, string> $sides paths by name: sync, buffered, perhaps none
     * @param float $pause seconds that each user waits after an answer
     * @param callable(string): void $say
     */
    public function __construct(
        private readonly array $database,
        private readonly PDO $direct,
        private readonly array $sides,
        private readonly int $workers,
        private readonly float $pause,
        private readonly int $rounds,
        private readonly float $seconds,
        private $say,
    ) {}

    /** @return array<string, mixed> */
    public function run(string $condition): array
    {
        $rig = new Rig($this->database);

        try {
            $rig->prepare();
            $stack = $rig->serve($this->workers);
            $worker = $rig->worker();

            foreach ($this->sides as $side => $path) {
                // One alone first, so that the row that all share is there.
                $this->load($stack->url().$path, "{$condition}-first-{$side}-", 0.0);
                $this->load($stack->url().$path, "{$condition}-warm-{$side}-", self::LEAD_SECONDS);
            }

            for ($round = 0; $round < $this->rounds; $round++) {
                foreach ($round % 2 === 0 ? $this->sides : array_reverse($this->sides) as $side => $path) {
                    $this->load($stack->url().$path, "{$condition}-{$round}-lead-{$side}-", self::LEAD_SECONDS);
                    $result = $this->load($stack->url().$path, "{$condition}-{$round}-{$side}-", $this->seconds);
                    $this->results[$side][] = $result;
                    // What this one left in the buffer is nobody else's work.
                    usleep(self::SETTLE_MICROS);
                    ($this->say)(sprintf('  %s, round %d of %d, %-8s %7.0f requests/s, p50 %.1f ms', $condition, $round + 1, $this->rounds, $side, $result->requestsPerSecond(), (int) $result->latency()->percentile(50.0) / 1000));
                }
            }

            $stack->stop();
            $worker->signal(15);
            $worker->wait();
            $rig->artisan('spool:flush');

            return $this->summary();
        } finally {
            isset($worker) && $worker->isRunning() && $worker->stop(1);
            isset($stack) && $stack->stop();
            $rig->remove();
        }
    }

    private function load(string $url, string $prefix, float $seconds): LoadResult
    {
        $events = new PageViews($url, $prefix);
        $result = $seconds > 0.0
            ? (new Generator)->run(Plan::everything(self::CONNECTIONS, timeout: 30.0, pause: $this->pause), new ForSeconds($events, $seconds), $events)
            : (new Generator)->run(Plan::samples(1, 1, timeout: 30.0), $events, $events);

        if (! str_ends_with($url, '/none')) {
            $this->acknowledged += $events->acknowledged;
        }

        return $result;
    }

    /** @return array<string, mixed> */
    private function summary(): array
    {
        $copies = $this->pairs('select seq, count(*) from page_views group by seq');
        $counted = $this->pairs('select api_key, sum(calls) from api_usage group by api_key');
        [$lost, $double] = [count(array_diff_key($this->acknowledged, $copies)), count(array_filter($copies, static fn (int $n): bool => $n > 1))];
        $tables = [];

        foreach (array_keys(array_filter($this->sides, static fn (string $path): bool => str_contains($path, 'metered'))) as $side) {
            $rows = array_sum(array_filter($copies, static fn (string $seq): bool => str_contains($seq, "-{$side}-"), ARRAY_FILTER_USE_KEY));
            $tables[$side] = ['rows' => $rows, 'counted' => $counted[$side] ?? 0];
            // Each event is a row and one in the count.
            $lost += max(0, $rows - $tables[$side]['counted']);
            $double += max(0, $tables[$side]['counted'] - $rows);
        }

        return [
            'workers' => $this->workers,
            'pause_ms' => $this->pause * 1000,
            'endpoints' => array_map($this->endpoint(...), $this->results),
            'buffered_vs_sync' => $this->ratio('buffered', 'sync', static fn (LoadResult $r): float => $r->requestsPerSecond()),
            'buffered_vs_none' => isset($this->sides['none']) ? $this->ratio('buffered', 'none', static fn (LoadResult $r): float => $r->requestsPerSecond()) : null,
            // More than who writes nothing no buffer can reach.
            'none_vs_sync' => isset($this->sides['none']) ? $this->ratio('none', 'sync', static fn (LoadResult $r): float => $r->requestsPerSecond()) : null,
            'none_p50_ratio' => isset($this->sides['none']) ? $this->ratio('sync', 'none', static fn (LoadResult $r): float => (float) $r->latency()->percentile(50.0)) : null,
            'none_p95_ratio' => isset($this->sides['none']) ? $this->ratio('sync', 'none', static fn (LoadResult $r): float => (float) $r->latency()->percentile(95.0)) : null,
            'p50_ratio' => $this->ratio('sync', 'buffered', static fn (LoadResult $r): float => (float) $r->latency()->percentile(50.0)),
            'p95_ratio' => $this->ratio('sync', 'buffered', static fn (LoadResult $r): float => (float) $r->latency()->percentile(95.0)),
            'errors' => $this->errors('buffered') + $this->errors('none'),
            'sync_errors' => $this->errors('sync'),
            'tables' => $tables,
            'lost' => $lost,
            'double' => $double,
            'acknowledged' => count($this->acknowledged),
            'client_limited' => array_filter(array_merge(...array_values($this->results)), static fn (LoadResult $r): bool => $r->isClientLimited()) !== [],
        ];
    }

    /** @return array<string, int> */
    private function pairs(string $sql): array
    {
        $statement = $this->direct->query($sql);

        return $statement === false ? throw new RuntimeException("Nobody answers: {$sql}") : array_map(intval(...), $statement->fetchAll(PDO::FETCH_KEY_PAIR));
    }

    private function errors(string $side): int
    {
        return array_sum(array_map(static fn (LoadResult $r): int => $r->finished() - $r->count(Outcome::Succeeded), $this->results[$side] ?? []));
    }

    /**
     * @param list<LoadResult> $results
     * @return array<string, mixed>
     */
    private function endpoint(array $results): array
    {
        $of = static fn (callable $figure): array => (new Samples(array_map($figure, $results)))->toArray();
        $percentile = static fn (float $percent): array => $of(static fn (LoadResult $r): float => (int) $r->latency()->percentile($percent) / 1000);

        return [
            'requests_per_second' => $of(static fn (LoadResult $r): float => $r->requestsPerSecond()),
            'p50_ms' => $percentile(50.0),
            'p95_ms' => $percentile(95.0),
            'p99_ms' => $percentile(99.0),
        ];
    }

    /** @return array<string, mixed> of what was measured in the same round */
    private function ratio(string $a, string $b, callable $figure): array
    {
        return (new Samples(array_map(static fn (LoadResult $x, LoadResult $y): float => $figure($y) > 0 ? $figure($x) / $figure($y) : 0.0, $this->results[$a], $this->results[$b])))->toArray();
    }
}
