<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\WriteBuffer;

use Headroom\Load\Executor\LoadGenerator;
use Headroom\Load\Metrics\LoadResult;
use Headroom\Load\Plan;
use PDO;
use Workbench\Rig\PageViews;
use Workbench\Rig\Rig;

/**
 * One application, three endpoints that differ only in the write: none, an insert, the buffer. They take turns, round
 * by round, at 100 connections and 50 FPM workers, while spool:work empties the buffer. Turns are short, because
 * other load of the machine changes within ten seconds; ratios are taken within a round.
 */
final class Endpoints
{
    private const WORKERS = 50;

    private const CONNECTIONS = 100;

    private const LEAD_SECONDS = 1.0;

    private const SETTLE_MICROS = 1_200_000;

    private const ENDPOINTS = ['none', 'sync', 'buffered'];

    private readonly Rounds $results;

    private readonly AcknowledgedEvents $acknowledged;

    /**
     * @param array<string, string> $database DB_* variables as the application sees it
     * @param callable(string): void $log
     */
    public function __construct(
        private readonly array $database,
        PDO $direct,
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
        return (new Site($this->database, self::WORKERS))->measured(
            fn (string $url) => $this->turns($url, $condition),
            fn (Rig $rig): array => $this->summary($rig->status('page-views')),
            'page-views',
        );
    }

    private function turns(string $url, string $condition): void
    {
        foreach (self::ENDPOINTS as $endpoint) {
            $this->load("{$url}/events/{$endpoint}", "{$condition}-warm-{$endpoint}-", min(1.0, $this->seconds));
        }

        for ($round = 0; $round < $this->rounds; $round++) {
            // The first of one round is the last of another.
            foreach ([
                ...array_slice(self::ENDPOINTS, $round % 3), ...array_slice(self::ENDPOINTS, 0, $round % 3),
            ] as $endpoint) {
                // Measure the steady state: spool:work delivers the events of the second before.
                $this->load("{$url}/events/{$endpoint}", "{$condition}-{$round}-lead-{$endpoint}-", self::LEAD_SECONDS);
                $result = $this->load(
                    "{$url}/events/{$endpoint}",
                    "{$condition}-{$round}-{$endpoint}-",
                    $this->seconds,
                );
                $this->results->add($endpoint, $result);
                // Deliver the rest of this side before the next one starts.
                usleep(self::SETTLE_MICROS);
                ($this->log)(sprintf(
                    '  %s, round %d of %d, %-8s %7.0f requests/s',
                    $condition,
                    $round + 1,
                    $this->rounds,
                    $endpoint,
                    $result->requestsPerSecond(),
                ));
            }
        }
    }

    private function load(string $url, string $prefix, float $seconds): LoadResult
    {
        $events = new PageViews($url, $prefix);
        $result = (new LoadGenerator)->run(
            Plan::duration($seconds, self::CONNECTIONS, timeout: 30.0),
            $events,
            $events,
        );

        if (str_contains($url, '/buffered') || str_contains($url, '/sync')) {
            $this->acknowledged->add($events);
        }

        return $result;
    }

    /**
     * @param array<string, mixed> $status
     * @return array<string, mixed>
     */
    private function summary(array $status): array
    {
        return [
            'endpoints' => $this->results->figures(),
            'buffered_vs_none' => $this->results->rates('buffered', 'none'),
            'buffered_vs_sync' => $this->results->rates('buffered', 'sync'),
            'buffered_p99_vs_none' => $this->results->latencies('buffered', 'none', 99.0),
            'errors' => $this->results->errors('none', 'buffered'),
            'sync_errors' => $this->results->errors('sync'),
            ...$this->acknowledged->found($this->acknowledged->copies()),
            'status' => $status,
            'client_limited' => $this->results->isClientLimited(),
        ];
    }
}
