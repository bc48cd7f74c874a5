<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\WriteBuffer;

use Headroom\Load\Executor\LoadGenerator;
use Headroom\Load\Metrics\LoadResult;
use Headroom\Load\Plan;
use PDO;
use Workbench\Rig\PageViews;

/**
 * One application behind nginx and FPM, with endpoints that take turns round by round, on a database that may be some
 * milliseconds away, while spool:work empties the buffer. Afterwards the tables are compared with the acknowledged
 * events.
 */
final class Contended
{
    public const CONNECTIONS = 100;

    private const LEAD_SECONDS = 1.0;

    private const SETTLE_MICROS = 1_200_000;

    private readonly Rounds $results;

    private readonly AcknowledgedEvents $acknowledged;

    /**
     * @param array<string, string> $database DB_* variables as the application sees it
     * @param non-empty-array<string, string> $sides paths by name: sync, buffered, perhaps none
     * @param float $pause seconds that each user waits after an answer
     * @param callable(string): void $log
     */
    public function __construct(
        private readonly array $database,
        PDO $direct,
        private readonly array $sides,
        private readonly int $workers,
        private readonly float $pause,
        private readonly int $rounds,
        private readonly float $seconds,
        private $log,
    ) {
        $this->results = new Rounds;
        $this->acknowledged = new AcknowledgedEvents($direct);
    }

    /** @return array<string, mixed> */
    public function run(string $condition): array
    {
        return (new Site($this->database, $this->workers))->measured(
            fn (string $url) => $this->turns($url, $condition),
            $this->summary(...),
        );
    }

    private function turns(string $url, string $condition): void
    {
        foreach ($this->sides as $side => $path) {
            // One request first, so that the shared row exists.
            $this->load($url.$path, "{$condition}-first-{$side}-", 0.0);
            $this->load($url.$path, "{$condition}-warm-{$side}-", self::LEAD_SECONDS);
        }

        for ($round = 0; $round < $this->rounds; $round++) {
            foreach ($round % 2 === 0 ? $this->sides : array_reverse($this->sides) as $side => $path) {
                $this->load($url.$path, "{$condition}-{$round}-lead-{$side}-", self::LEAD_SECONDS);
                $result = $this->load($url.$path, "{$condition}-{$round}-{$side}-", $this->seconds);
                $this->results->add($side, $result);
                // Deliver the rest of this side before the next one starts.
                usleep(self::SETTLE_MICROS);
                ($this->log)(sprintf(
                    '  %s, round %d of %d, %-8s %7.0f requests/s, p50 %.1f ms',
                    $condition,
                    $round + 1,
                    $this->rounds,
                    $side,
                    $result->requestsPerSecond(),
                    (int) $result->latency()->percentile(50.0) / 1000,
                ));
            }
        }
    }

    private function load(string $url, string $prefix, float $seconds): LoadResult
    {
        $events = new PageViews($url, $prefix);
        $result = $seconds > 0.0
            ? (new LoadGenerator)->run(
                Plan::everything(self::CONNECTIONS, timeout: 30.0, pause: $this->pause),
                new TimedRequests($events, $seconds),
                $events,
            )
            : (new LoadGenerator)->run(Plan::requests(1, 1, timeout: 30.0), $events, $events);

        if (! str_ends_with($url, '/none')) {
            $this->acknowledged->add($events);
        }

        return $result;
    }

    /** @return array<string, mixed> */
    private function summary(): array
    {
        $copies = $this->acknowledged->copies();
        $counted = $this->acknowledged->pairs('select api_key, sum(calls) from api_usage group by api_key');
        ['lost' => $lost, 'double' => $double, 'acknowledged' => $acknowledged] = $this->acknowledged->found($copies);
        $tables = [];

        foreach (array_keys(array_filter(
            $this->sides,
            static fn (string $path): bool => str_contains($path, 'metered'),
        )) as $side) {
            $rows = array_sum(array_filter(
                $copies,
                static fn (string $seq): bool => str_contains($seq, "-{$side}-"),
                ARRAY_FILTER_USE_KEY,
            ));
            $tables[$side] = ['rows' => $rows, 'counted' => $counted[$side] ?? 0];
            // Each event is a row, and one in the count.
            $lost += max(0, $rows - $tables[$side]['counted']);
            $double += max(0, $tables[$side]['counted'] - $rows);
        }

        return [
            'workers' => $this->workers,
            'pause_ms' => $this->pause * 1000,
            'endpoints' => $this->results->figures(),
            'buffered_vs_sync' => $this->results->rates('buffered', 'sync'),
            'buffered_vs_none' => $this->results->rates('buffered', 'none'),
            // No buffer can be faster than the endpoint that writes nothing.
            'none_vs_sync' => $this->results->rates('none', 'sync'),
            'none_p50_ratio' => $this->results->latencies('sync', 'none', 50.0),
            'none_p95_ratio' => $this->results->latencies('sync', 'none', 95.0),
            'p50_ratio' => $this->results->latencies('sync', 'buffered', 50.0),
            'p95_ratio' => $this->results->latencies('sync', 'buffered', 95.0),
            'errors' => $this->results->errors('buffered', 'none'),
            'sync_errors' => $this->results->errors('sync'),
            'tables' => $tables,
            'lost' => $lost,
            'double' => $double,
            'acknowledged' => $acknowledged,
            'client_limited' => $this->results->isClientLimited(),
        ];
    }
}
