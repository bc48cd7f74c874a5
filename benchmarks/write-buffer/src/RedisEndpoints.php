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
 * Two endpoints that write to the same Redis: one with a bare XADD through Laravel's facade, one through the buffer's
 * Redis store. They take turns like those of Endpoints.
 */
final class RedisEndpoints
{
    private const WORKERS = 50;

    private const CONNECTIONS = 100;

    private const LEAD_SECONDS = 1.0;

    private const SETTLE_MICROS = 1_200_000;

    private const ENDPOINTS = ['xadd', 'buffered-redis'];

    private readonly Rounds $results;

    /** By the endpoint that delivers. */
    private readonly AcknowledgedEvents $acknowledged;

    /**
     * @param array<string, string> $variables DB_* and REDIS_* as the application sees them
     * @param callable(string): void $log
     */
    public function __construct(
        private readonly array $variables,
        PDO $direct,
        private readonly int $rounds,
        private readonly float $seconds,
        private $log,
    ) {
        $this->results = new Rounds;
        $this->acknowledged = new AcknowledgedEvents($direct);
    }

    /** @return array<string, mixed> */
    public function run(EmptiedStreams $emptied): array
    {
        ($this->log)("  {$emptied->value}");

        return (new Site($this->variables, self::WORKERS, $emptied->commands()))->measured(
            $this->turns(...),
            fn (Rig $rig): array => $this->summary($rig->status('page-views-redis')),
            'page-views-redis',
        );
    }

    private function turns(string $url): void
    {
        foreach (self::ENDPOINTS as $endpoint) {
            $this->load($url, $endpoint, 'warm', min(1.0, $this->seconds));
        }

        for ($round = 0; $round < $this->rounds; $round++) {
            foreach ($round % 2 === 0 ? self::ENDPOINTS : array_reverse(self::ENDPOINTS) as $endpoint) {
                $this->load($url, $endpoint, "{$round}-lead", self::LEAD_SECONDS);
                $result = $this->load($url, $endpoint, (string) $round, $this->seconds);
                $this->results->add($endpoint, $result);
                usleep(self::SETTLE_MICROS);
                ($this->log)(sprintf(
                    '  round %d of %d, %-14s %7.0f requests/s',
                    $round + 1,
                    $this->rounds,
                    $endpoint,
                    $result->requestsPerSecond(),
                ));
            }
        }
    }

    private function load(string $url, string $endpoint, string $turn, float $seconds): LoadResult
    {
        $events = new PageViews("{$url}/events/{$endpoint}", "redis-{$turn}-{$endpoint}-");
        $result = (new LoadGenerator)->run(
            Plan::duration($seconds, self::CONNECTIONS, timeout: 30.0),
            $events,
            $events,
        );

        if ($endpoint === 'buffered-redis') {
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
            'redis_vs_xadd' => $this->results->rates('buffered-redis', 'xadd'),
            'redis_p99_vs_xadd' => $this->results->latencies('buffered-redis', 'xadd', 99.0),
            'errors' => $this->results->errors(...self::ENDPOINTS),
            ...$this->acknowledged->found($this->acknowledged->copies()),
            'status' => $status,
            'client_limited' => $this->results->isClientLimited(),
        ];
    }
}
