<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Bottleneck;

use Redis;
use RuntimeException;
use Symfony\Component\Process\Process;

/**
 * The load of 350 users whose requests time out after 8 seconds, with `headroom load` as you would call it. Redis and
 * the CPUs are sampled four times a second meanwhile.
 */
final readonly class UserLoad
{
    public const USERS = 350;

    public const LIMIT_SECONDS = 8;

    private const LOOK_MICROS = 250_000;

    public function __construct(private int $samples) {}

    /** @return array<string, mixed> */
    public function of(string $url, Redis $redis): array
    {
        $load = new Process(
            [
                PHP_BINARY,
                dirname(__DIR__, 3).'/bin/headroom',
                'load',
                $url,
                "--requests={$this->samples}",
                '--concurrency='.self::USERS,
                '--timeout='.self::LIMIT_SECONDS,
                '--json',
            ],
            timeout: 900,
        );
        $looks = [$this->look($redis)];
        $load->start();

        do {
            usleep(self::LOOK_MICROS);
            $load->checkTimeout();
            $looks[] = $this->look($redis);
        } while ($load->isRunning());

        $result = json_decode($load->getOutput(), true);

        if (! is_array($result) || ! isset($result['latency_us'])) {
            throw new RuntimeException("headroom load ended with {$load->getExitCode()}: {$load->getErrorOutput()}");
        }

        return [...self::figures($result), ...(new Samples($looks))->figures($result['sent'])];
    }

    /**
     * @param array<string, mixed> $result as docs/load.md has it
     * @return array<string, mixed>
     */
    public static function figures(array $result): array
    {
        $times = $result['latency_us']['with_timeouts'];

        return [
            'requests' => $result['sent'],
            'seconds' => round($result['seconds'], 1),
            'error_rate' => $result['error_rate'],
            'timeouts' => $result['timeouts'],
            'http_errors' => $result['http_errors'],
            'other_errors' => $result['connect_errors'] + $result['other_errors'],
            'statuses' => $result['statuses'],
            'mean_ms' => $times['mean'] === null ? null : round($times['mean'] / 1000, 1),
            'p95_ms' => $times['p95'] === null ? null : round($times['p95'] / 1000, 1),
            'succeeded_per_second' => $result['succeeded_per_second'],
            'client_limited' => $result['client']['limited'],
            'timeline' => array_map(static fn (array $slot): array => [
                'from_s' => $slot['from_s'],
                'seconds' => $slot['seconds'],
                'succeeded' => $slot['succeeded'],
                'errors' => array_sum((array) $slot['errors']),
                'mean_ms' => $slot['latency_us']['mean'] === null ? null : round($slot['latency_us']['mean'] / 1000, 1),
            ], $result['timeline']),
        ];
    }

    private function look(Redis $redis): Sample
    {
        $clients = $redis->info('clients');
        $stats = $redis->info('stats');

        return Sample::now((int) $clients['connected_clients'], (int) $stats['total_connections_received']);
    }
}
