<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\WriteBuffer;

/**
 * The figures as a person reads them, within 80 columns.
 */
final readonly class Printout
{
    /** @param array<string, mixed> $report */
    public function print(array $report): void
    {
        $machine = $report['machine'];
        echo "\n{$machine['cpu']}, {$machine['cores']} cores, {$machine['kernel']}, PHP {$machine['php']}, commit {$machine['commit']}\n";
        $this->append($report['inside']);
        $this->parallel($report['parallel']);

        foreach (['a' => 'database local', 'b' => 'database 2 ms away'] as $key => $title) {
            $this->endpoints($report['endpoints'][$key], $title);
        }

        echo "\n";
    }

    /** @param array<string, mixed> $inside */
    private function append(array $inside): void
    {
        $nanos = $inside['append']['nanos'];
        echo "\nOne append of a 300-byte line, in one FPM worker, microseconds\n";
        printf("  %-44s %8s %8s %8s\n", '', 'p50', 'p99', 'p50 is');

        foreach (['naive' => 'file_put_contents, FILE_APPEND | LOCK_EX', 'opened' => 'Headroom, one open per event', 'kept' => 'Headroom, slot kept'] as $name => $title) {
            printf("  %-44s %8.2f %8.2f %7.2fx\n", $title, $nanos[$name]['p50'] / 1000, $nanos[$name]['p99'] / 1000, $nanos[$name]['p50'] / $nanos['naive']['p50']);
        }

        printf("  Buffer::buffer() through the facade %.2f, encoding and append alone %.2f\n", $inside['facade']['facade']['p50'] / 1000, $inside['facade']['bare']['p50'] / 1000);
    }

    /** @param array<string, mixed> $parallel */
    private function parallel(array $parallel): void
    {
        echo "\nEight processes append, a ninth empties what they fill\n";
        printf("  %-34s %12s %8s %8s %8s\n", '', 'events/s', 'spread', 'lost', 'of');

        foreach (['naive' => '8 shards, rename, read, delete', 'ours' => 'Headroom'] as $kind => $title) {
            $row = $parallel[$kind];
            printf("  %-34s %12s %7.0f%% %8d %8d\n", $title, number_format($row['per_second']['median']), 100 * $row['per_second']['spread'], $row['lost'], $row['events']);
        }
    }

    /** @param array<string, mixed> $condition */
    private function endpoints(array $condition, string $title): void
    {
        echo "\nEndpoints, 100 connections, 50 FPM workers, {$title}\n";
        printf("  %-12s %12s %8s %10s %10s %10s\n", '', 'requests/s', 'spread', 'p50 ms', 'p95 ms', 'p99 ms');

        foreach ($condition['endpoints'] as $name => $row) {
            printf("  %-12s %12.0f %7.1f%% %10.1f %10.1f %10.1f\n", $name, $row['requests_per_second']['median'], 100 * $row['requests_per_second']['spread'], $row['p50_ms']['median'], $row['p95_ms']['median'], $row['p99_ms']['median']);
        }

        printf("  buffered / none %.3f (%.3f to %.3f), buffered / sync %.2f, p99 / none's %.2f\n", $condition['buffered_vs_none']['median'], $condition['buffered_vs_none']['min'], $condition['buffered_vs_none']['max'], $condition['buffered_vs_sync']['median'], $condition['buffered_p99_vs_none']['median']);
        printf("  %d acknowledged, %d lost, %d double, %d errors%s\n", $condition['acknowledged'], $condition['lost'], $condition['double'], $condition['errors'], $condition['client_limited'] ? '; the load generator was at its own limit' : '');
    }
}
