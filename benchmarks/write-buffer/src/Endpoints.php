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
 * One application, three endpoints that differ in the write alone: nothing, an insert, the buffer. They take turns, round
 * by round, at 100 connections and 50 FPM workers, while spool:work empties the buffer all the time. Turns are short, since
 * what else runs on the machine changes from one ten seconds to the next, and the ratios are taken within a round.
 */
final class Endpoints
{
    private const WORKERS = 50;

    private const CONNECTIONS = 100;

    private const LEAD_SECONDS = 1.0;

    private const SETTLE_MICROS = 1_200_000;

    private const ENDPOINTS = ['none', 'sync', 'buffered'];

    /** @var array<string, list<LoadResult>> by endpoint, one per round */
    private array $results = ['none' => [], 'sync' => [], 'buffered' => []];

    /** @var array<string, true> */
    private array $acknowledged = [];

    /**
     * @param array<string, string> $database DB_* variables as the application sees it
     * @param callable(string): void $say
     */
    public function __construct(
        private readonly array $database,
        private readonly PDO $direct,
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
            $stack = $rig->serve(self::WORKERS);
            $worker = $rig->worker();

            foreach (self::ENDPOINTS as $endpoint) {
                $this->load("{$stack->url()}/events/{$endpoint}", "{$condition}-warm-{$endpoint}-", min(1.0, $this->seconds));
            }

            for ($round = 0; $round < $this->rounds; $round++) {
                // Whoever goes first in one round goes last in another.
                $order = [...array_slice(self::ENDPOINTS, $round % 3), ...array_slice(self::ENDPOINTS, 0, $round % 3)];

                foreach ($order as $endpoint) {
                    // So that what is counted is the steady state: spool:work is busy with what came a second before.
                    $this->load("{$stack->url()}/events/{$endpoint}", "{$condition}-{$round}-lead-{$endpoint}-", self::LEAD_SECONDS);
                    $result = $this->load("{$stack->url()}/events/{$endpoint}", "{$condition}-{$round}-{$endpoint}-", $this->seconds);
                    $this->results[$endpoint][] = $result;
                    // What this one left is nobody else's work.
                    usleep(self::SETTLE_MICROS);
                    ($this->say)(sprintf('  %s, round %d of %d, %-8s %7.0f requests/s', $condition, $round + 1, $this->rounds, $endpoint, $result->requestsPerSecond()));
                }
            }

            $stack->stop();
            $worker->signal(15);
            $worker->wait();
            $rig->artisan('spool:flush', 'page-views');

            return $this->summary($rig->status('page-views'));
        } finally {
            isset($worker) && $worker->isRunning() && $worker->stop(1);
            isset($stack) && $stack->stop();
            $rig->remove();
        }
    }

    private function load(string $url, string $prefix, float $seconds): LoadResult
    {
        $events = new PageViews($url, $prefix);
        $result = (new Generator)->run(Plan::duration($seconds, self::CONNECTIONS, timeout: 30.0), $events, $events);

        if (str_contains($url, '/buffered') || str_contains($url, '/sync')) {
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

        return [
            'endpoints' => array_map($this->endpoint(...), $this->results),
            'buffered_vs_none' => $this->ratio('buffered', 'none', static fn (LoadResult $r): float => $r->requestsPerSecond())->toArray(),
            'buffered_vs_sync' => $this->ratio('buffered', 'sync', static fn (LoadResult $r): float => $r->requestsPerSecond())->toArray(),
            'buffered_p99_vs_none' => $this->ratio('buffered', 'none', static fn (LoadResult $r): float => (float) $r->latency()->percentile(99.0))->toArray(),
            'errors' => array_sum(array_map(static fn (LoadResult $r): int => $r->finished() - $r->count(Outcome::Succeeded), [...$this->results['none'], ...$this->results['buffered']])),
            'sync_errors' => array_sum(array_map(static fn (LoadResult $r): int => $r->finished() - $r->count(Outcome::Succeeded), $this->results['sync'])),
            'lost' => count(array_diff_key($this->acknowledged, $copies)),
            'double' => count(array_filter($copies, static fn (mixed $n): bool => (int) $n > 1)),
            'acknowledged' => count($this->acknowledged),
            'status' => $status,
            'client_limited' => array_filter(array_merge(...array_values($this->results)), static fn (LoadResult $r): bool => $r->isClientLimited()) !== [],
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
    private function ratio(string $a, string $b, callable $figure): Samples
    {
        return new Samples(array_map(static fn (LoadResult $x, LoadResult $y): float => $figure($y) > 0 ? $figure($x) / $figure($y) : 0.0, $this->results[$a], $this->results[$b]));
    }
}
