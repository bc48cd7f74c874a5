<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\WriteBuffer;

/**
 * The figures as a person reads them, within 80 columns.
 */
final readonly class Printout
{
    /** @param non-empty-array<string, array<string, mixed>> $parts that were measured */
    public function print(array $parts, bool $isWhole): void
    {
        $machine = $parts[array_key_first($parts)]['machine'];
        echo "\n{$machine['cpu']}, {$machine['cores']} cores, {$machine['kernel']}, PHP {$machine['php']},"
            ." commit {$machine['commit']}\n";

        foreach ($parts as $name => ['figures' => $figures]) {
            match ($name) {
                'append' => $this->append($figures),
                'parallel' => $this->parallel($figures),
                'endpoints' => array_map($this->endpoints(...), $figures, ['database local', 'database 2 ms away']),
                'contended' => $this->contended($figures),
                'flush' => $this->flush($figures),
                'aggregate' => $this->aggregate($figures),
                'memory' => $this->memory($figures),
                'redis' => $this->redis($figures),
                'instructions' => $this->instructions($figures),
                default => $this->scan($figures),
            };
        }

        if (! $isWhole) {
            echo "\nA partial run: only ".implode(', ', array_keys($parts))
                ." measured; the results file keeps the others as they were.\n";
        }

        echo "\n";
    }

    /** @param array<string, array{instructions: float, apart_share: float}> $sides */
    private function instructions(array $sides): void
    {
        echo "\nInstructions in user space for one event\n";

        foreach ($sides as $name => $side) {
            printf(
                "  %-16s %9s, rounds %.2f%% apart\n",
                strtr($name, '_', ' '),
                number_format($side['instructions']),
                100 * $side['apart_share'],
            );
        }
    }

    /** @param array<string, array<string, mixed>> $databases */
    private function flush(array $databases): void
    {
        echo "\nA flush, rows/s, and its share of hand-written inserts of 1,000 rows\n";
        printf(
            "  %-8s %9s %7s %9s %9s %9s %8s %10s %10s %14s\n",
            '',
            'Headroom',
            'spread',
            'script',
            'builder',
            'in memory',
            'script',
            'builder',
            'in memory',
            'client CPU us',
        );

        foreach ($databases as $driver => $row) {
            $speed = array_map(
                static fn (array $samples): string => number_format($samples['median']),
                $row['rows_per_second'],
            );
            $cpu = $row['client_cpu_micros_per_row'];
            printf(
                "  %-8s %9s %6.0f%% %9s %9s %9s %8.2f %10.2f %10.2f %6.1f of %4.1f\n",
                $driver,
                $speed['ours'],
                100 * $row['rows_per_second']['ours']['spread'],
                $speed['written'],
                $speed['builder'],
                $speed['memory'],
                $row['ratio']['median'],
                $row['ratio_to_builder']['median'],
                $row['ratio_to_memory']['median'],
                $cpu['ours']['median'],
                $cpu['written']['median'],
            );
        }
    }

    /** @param array<string, array<int, array<string, array<string, float>>>> $databases */
    private function memory(array $databases): void
    {
        echo "\nMemory above the booted application, MB\n";
        printf("  %-10s %-14s %10s %10s %10s %10s\n", '', '', 'events', 'PHP', 'resident', 'seconds');

        foreach ($databases as $driver => $counts) {
            foreach ($counts as $count => $commands) {
                foreach ($commands as $command => $row) {
                    printf(
                        "  %-10s %-14s %10s %10.1f %10.1f %10.2f\n",
                        $driver,
                        "spool:{$command}",
                        number_format($count),
                        $row['php_mb'],
                        $row['resident_mb'],
                        $row['seconds'],
                    );
                }
            }
        }
    }

    /** @param array<string, mixed> $scan */
    private function scan(array $scan): void
    {
        echo "\nScanning segments in the page cache, MB/s\n";
        printf("  %-10s %10s %8s %22s %8s\n", '', 'whole', 'spread', '1 frame in 100 damaged', 'spread');

        foreach ($scan['whole'] as $size => $row) {
            printf(
                "  %-10s %10.0f %7.0f%% %22.0f %7.0f%%\n",
                "{$size} MB",
                $row['median'],
                100 * $row['spread'],
                $scan['damaged'][$size]['median'],
                100 * $scan['damaged'][$size]['spread'],
            );
        }
    }

    /** @param array<string, mixed> $inside */
    private function append(array $inside): void
    {
        $nanos = $inside['append']['nanos'];
        echo "\nOne append of a 300-byte line, in one FPM worker, microseconds\n";
        printf("  %-44s %8s %8s %8s\n", '', 'p50', 'p99', 'p50 is');

        foreach ([
            'naive' => 'file_put_contents, FILE_APPEND | LOCK_EX',
            'opened' => 'Headroom, one open per event',
            'kept' => 'Headroom, slot kept',
        ] as $name => $title) {
            printf(
                "  %-44s %8.2f %8.2f %7.2fx\n",
                $title,
                $nanos[$name]['p50'] / 1000,
                $nanos[$name]['p99'] / 1000,
                $nanos[$name]['p50'] / $nanos['naive']['p50'],
            );
        }

        printf(
            "  Buffer::buffer() through the facade %.2f, encoding and append alone %.2f\n",
            $inside['facade']['facade']['p50'] / 1000,
            $inside['facade']['bare']['p50'] / 1000,
        );
    }

    /** @param array<string, mixed> $parallel */
    private function parallel(array $parallel): void
    {
        echo "\nEight processes append, a ninth empties what they fill\n";
        printf("  %-34s %12s %8s %8s %8s\n", '', 'events/s', 'spread', 'lost', 'of');

        foreach (['naive' => '8 shards, rename, read, delete', 'ours' => 'Headroom'] as $kind => $title) {
            $row = $parallel[$kind];
            printf(
                "  %-34s %12s %7.0f%% %8d %8d\n",
                $title,
                number_format($row['per_second']['median']),
                100 * $row['per_second']['spread'],
                $row['lost'],
                $row['events'],
            );
        }
    }

    /** @param array<string, array<string, mixed>> $conditions */
    private function redis(array $conditions): void
    {
        $titles = [
            'neither' => 'nobody reads either stream',
            'both' => 'both streams emptied',
            'ours' => 'only the buffer emptied',
        ];

        foreach ($conditions as $name => $redis) {
            $this->sides(
                $redis,
                "Endpoints, 100 connections, 50 FPM workers, Redis on the same machine, {$titles[$name]}",
            );
            printf(
                "  buffered-redis / xadd %.3f (%.3f to %.3f), p99 / xadd's %.2f\n",
                $redis['redis_vs_xadd']['median'],
                $redis['redis_vs_xadd']['min'],
                $redis['redis_vs_xadd']['max'],
                $redis['redis_p99_vs_xadd']['median'],
            );
            $this->accounting($redis);
        }
    }

    /** @param array<string, array<string, mixed>> $conditions */
    private function contended(array $conditions): void
    {
        $titles = [
            'c' => 'event and shared count, database 10 ms away',
            'c_2ms' => 'event and shared count, database 2 ms away',
            'paced' => 'the same 10 ms away, 114 ms of pause after each answer',
            'few_workers' => 'a plain insert, 10 ms away',
        ];

        foreach ($conditions as $name => $condition) {
            $this->sides($condition, "100 users, {$condition['workers']} FPM workers, {$titles[$name]}");
            printf(
                "  buffered / sync %.2f (%.2f to %.2f), p50 %.1f and p95 %.1f times lower%s\n",
                $condition['buffered_vs_sync']['median'],
                $condition['buffered_vs_sync']['min'],
                $condition['buffered_vs_sync']['max'],
                $condition['p50_ratio']['median'],
                $condition['p95_ratio']['median'],
                $condition['buffered_vs_none'] === null
                    ? ''
                    : sprintf(', buffered / none %.3f', $condition['buffered_vs_none']['median']),
            );

            if ($condition['none_vs_sync'] !== null) {
                printf(
                    "  none / sync %.2f, p50 %.1f and p95 %.1f times lower: more no buffer can reach here\n",
                    $condition['none_vs_sync']['median'],
                    $condition['none_p50_ratio']['median'],
                    $condition['none_p95_ratio']['median'],
                );
            }

            foreach ($condition['tables'] as $side => $table) {
                printf("  %-12s %d rows, counted %d\n", $side, $table['rows'], $table['counted']);
            }

            printf(
                "  %d acknowledged, %d lost, %d double, %d errors, %d of sync%s\n",
                $condition['acknowledged'],
                $condition['lost'],
                $condition['double'],
                $condition['errors'],
                $condition['sync_errors'],
                $condition['client_limited'] ? '; the load generator was at its own limit' : '',
            );
        }
    }

    /** @param array<string, array<string, mixed>> $databases */
    private function aggregate(array $databases): void
    {
        echo "\nCounting calls of 1,000 customers, events/s\n";
        printf(
            "  %-8s %10s %12s %8s %12s %8s %14s\n",
            '',
            'events',
            'aggregate',
            'spread',
            'row by row',
            'spread',
            'times as many',
        );

        foreach ($databases as $driver => $row) {
            ['ours' => $ours, 'written' => $written] = $row['events_per_second'];
            printf(
                "  %-8s %10s %12s %7.0f%% %12s %7.0f%% %14.1f\n",
                $driver,
                number_format($row['events']),
                number_format($ours['median']),
                100 * $ours['spread'],
                number_format($written['median']),
                100 * $written['spread'],
                $row['ratio']['median'],
            );
        }
    }

    /** @param array<string, mixed> $condition */
    private function sides(array $condition, string $title): void
    {
        echo "\n{$title}\n";
        printf("  %-14s %12s %8s %10s %10s %10s\n", '', 'requests/s', 'spread', 'p50 ms', 'p95 ms', 'p99 ms');

        foreach ($condition['endpoints'] as $name => $row) {
            printf(
                "  %-14s %12.0f %7.1f%% %10.1f %10.1f %10.1f\n",
                $name,
                $row['requests_per_second']['median'],
                100 * $row['requests_per_second']['spread'],
                $row['p50_ms']['median'],
                $row['p95_ms']['median'],
                $row['p99_ms']['median'],
            );
        }
    }

    /** @param array<string, mixed> $condition */
    private function endpoints(array $condition, string $title): void
    {
        $this->sides($condition, "Endpoints, 100 connections, 50 FPM workers, {$title}");
        printf(
            "  buffered / none %.3f (%.3f to %.3f), buffered / sync %.2f, p99 / none's %.2f\n",
            $condition['buffered_vs_none']['median'],
            $condition['buffered_vs_none']['min'],
            $condition['buffered_vs_none']['max'],
            $condition['buffered_vs_sync']['median'],
            $condition['buffered_p99_vs_none']['median'],
        );
        $this->accounting($condition);
    }

    /** @param array<string, mixed> $condition */
    private function accounting(array $condition): void
    {
        printf(
            "  %d acknowledged, %d lost, %d double, %d errors%s\n",
            $condition['acknowledged'],
            $condition['lost'],
            $condition['double'],
            $condition['errors'],
            $condition['client_limited'] ? '; the load generator was at its own limit' : '',
        );
    }
}
