<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\WriteBuffer;

use Headroom\Bench\Samples;
use Headroom\Host\WebStack;
use Headroom\Load\Executor\LoadGenerator;
use Headroom\Load\Plan;
use RuntimeException;
use Workbench\Rig\PageViews;
use Workbench\Rig\Rig;

/**
 * CPU time of one FPM worker for a request that buffers one event and for one that does not, and the difference. The
 * kernel counts it: the first number in /proc/PID/schedstat is nanoseconds.
 */
final readonly class RequestCpu
{
    private const ENDPOINTS = ['none', 'buffered'];

    /**
     * @param int<1, max> $rounds
     * @param int<1, max> $requests of each endpoint in a round
     * @param callable(string): void $log
     */
    public function __construct(private int $rounds, private int $requests, private mixed $log) {}

    /** @return array<string, array{median: float, min: float, max: float, spread: float, samples: int}> milliseconds */
    public function run(): array
    {
        $rig = new Rig(['DB_CONNECTION' => 'sqlite']);

        try {
            $rig->prepare();
            $stack = $rig->serve(1);
            $stack instanceof WebStack || throw new RuntimeException('Run: bin/services install nginx fpm');
            $this->round($stack); // The first requests fill opcache.
            $rounds = array_map(fn (): array => $this->round($stack), range(1, $this->rounds));
        } finally {
            isset($stack) && $stack->stop();
            $rig->remove();
        }

        $figures = array_map(
            static fn (string $of): array => (new Samples(array_column($rounds, $of)))->toArray(),
            ['none' => 'none', 'buffered' => 'buffered', 'added' => 'added'],
        );

        foreach ($figures as $name => $figure) {
            ($this->log)(sprintf('  %-10s %.3f ms (%.3f to %.3f)', $name, ...[
                $figure['median'], $figure['min'], $figure['max'],
            ]));
        }

        return $figures;
    }

    /** @return array{none: float, buffered: float, added: float} */
    private function round(WebStack $stack): array
    {
        [$none, $buffered] = array_map(
            function (string $endpoint) use ($stack): float {
                $pid = $stack->workerPids()[0];
                $before = self::cpuNanos($pid);
                $views = new PageViews("{$stack->url()}/events/{$endpoint}", bin2hex(random_bytes(6)).'-');
                (new LoadGenerator)->run(Plan::requests($this->requests, 1, timeout: 30.0), $views, $views);
                $nanos = self::cpuNanos($pid) - $before;

                return count($views->acknowledged) === $this->requests
                    ? $nanos / $this->requests / 1e6
                    : throw new RuntimeException("Requests to {$endpoint} failed.");
            },
            self::ENDPOINTS,
        );

        return ['none' => $none, 'buffered' => $buffered, 'added' => $buffered - $none];
    }

    private static function cpuNanos(int $pid): int
    {
        $counts = @file_get_contents("/proc/{$pid}/schedstat");

        return $counts === false
            ? throw new RuntimeException("The kernel reports no CPU time of process {$pid}.")
            : (int) $counts;
    }
}
