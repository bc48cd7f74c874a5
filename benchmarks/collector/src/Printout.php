<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Collector;

/**
 * The tables that are printed when all is measured.
 */
final readonly class Printout
{
    /** @param array<string, array<string, mixed>> $parts */
    public function print(array $parts, bool $isWhole): void
    {
        $machine = $parts[array_key_first($parts)]['machine'];
        echo "\n{$machine['cpu']}, {$machine['cores']} cores, {$machine['kernel']}, PHP {$machine['php']},"
            ." commit {$machine['commit']}\n";

        foreach ($parts as $name => ['figures' => $figures]) {
            match ($name) {
                'hello' => $this->hello($figures),
                'slow' => $this->slow($figures),
                'durable' => $this->durable($figures),
                'drain' => printf(
                    "\nDrain into the index: %s documents/s by one flusher (%.0f %% spread), %d lost, %d double\n",
                    number_format($figures['documents_per_second']['median']),
                    100 * $figures['documents_per_second']['spread'],
                    $figures['lost'],
                    $figures['double'],
                ),
                'down' => $this->down($figures),
                'reload' => printf(
                    "\n%d rolling reloads: %s requests on kept connections, %s on new ones, %d failed, %d missing\n",
                    $figures['reloads'],
                    number_format($figures['kept']['requests']),
                    number_format($figures['new']['requests']),
                    $figures['failed'],
                    $figures['missing'],
                ),
                'kill' => printf(
                    "\nkill -9 of %d workers, %d flushers, %d supervisors: %s acknowledged, %d lost, %d double in"
                        ." the index\n",
                    $figures['kills']['worker'],
                    $figures['kills']['flusher'],
                    $figures['kills']['supervisor'],
                    number_format($figures['acknowledged']),
                    $figures['lost'],
                    $figures['double'],
                ),
                'connections' => printf(
                    "\n3,000 connections at 2 workers: %s acks/s, p50 %.0f ms, p99 %.0f ms, %d refused, %d broken;"
                        ." 100 after them %s acks/s, %d errors; %d missing\n",
                    number_format($figures['many']['requests_per_second']),
                    $figures['many']['p50_ms'],
                    $figures['many']['p99_ms'],
                    $figures['many']['refused'],
                    $figures['many']['broken'],
                    number_format($figures['after']['requests_per_second']),
                    $figures['after']['refused'] + $figures['after']['broken'],
                    $figures['missing'],
                ),
                'lane' => $this->lane($figures),
                'soak' => $this->soak($figures),
                'outage' => $this->outage($figures),
                default => $this->growing($figures),
            };
        }

        echo $isWhole
            ? "\n"
            : "\nA partial run: only ".implode(', ', array_keys($parts))
                ." measured; the results file keeps the others as they were.\n\n";
    }

    /** @param array<int, array<string, mixed>> $figures by connections */
    private function hello(array $figures): void
    {
        echo "\nHello world\n";
        printf("  %-30s %12s %8s %10s %10s %8s\n", '', 'requests/s', 'spread', 'p50 ms', 'p99 ms', 'errors');

        foreach ($figures as $connections => $figure) {
            foreach ($figure['sides'] as $side => $row) {
                $who = $side === 'fpm'
                    ? 'nginx + FPM'
                    : "collector, {$figure['workers']} worker".($figure['workers'] === 1 ? '' : 's');
                printf(
                    "  %-30s %12s %7.0f%% %10.1f %10.1f %8d\n",
                    "{$connections} connections, {$who}",
                    number_format($row['requests_per_second']['median']),
                    100 * $row['requests_per_second']['spread'],
                    $row['p50_ms']['median'],
                    $row['p99_ms']['median'],
                    $row['errors'],
                );
            }

            printf(
                "  collector / FPM %.2f (%.2f to %.2f)\n",
                $figure['collector_vs_fpm']['median'],
                $figure['collector_vs_fpm']['min'],
                $figure['collector_vs_fpm']['max'],
            );
        }
    }

    /** @param array<string, mixed> $figures */
    private function lane(array $figures): void
    {
        echo "\nnginx + FPM, 100 connections\n";

        foreach ([
            'lane' => 'the fast lane, a pool of 8 of its own',
            'lane_shared' => 'the fast lane, 50 workers',
            'laravel' => 'Laravel, nothing is written, 50 workers',
        ] as $side => $title) {
            $row = $figures['sides'][$side];
            printf(
                "  %-40s %8s requests/s (%.0f %% spread), p50 %.1f ms, p99 %.1f ms, %d errors\n",
                $title,
                number_format($row['requests_per_second']['median']),
                100 * $row['requests_per_second']['spread'],
                $row['p50_ms']['median'],
                $row['p99_ms']['median'],
                $row['errors'],
            );
        }

        printf(
            "  with 50 workers %.1f times as many as Laravel (%.1f to %.1f), p99 %.2f times as long\n",
            $figures['shared_rate']['median'],
            $figures['shared_rate']['min'],
            $figures['shared_rate']['max'],
            $figures['shared_p99']['median'],
        );
        printf(
            '  in its own pool %.1f times as many (%.1f to %.1f), p99 %.2f times as long; %d acknowledged,'
                ." %d in the buffer\n",
            $figures['rate']['median'],
            $figures['rate']['min'],
            $figures['rate']['max'],
            $figures['p99']['median'],
            $figures['acknowledged'],
            $figures['buffered'],
        );
    }

    /** @param array<string, mixed> $figures */
    private function slow(array $figures): void
    {
        echo "\n1,000 users, each waiting for a third party that takes 2 s\n";

        foreach ([
            'collector' => 'collector, 4 workers behind nginx',
            'fpm' => 'nginx + FPM, 16 workers',
            'acks_beside' => 'events beside them',
        ] as $key => $title) {
            $row = $figures[$key];
            printf(
                "  %-34s %8.1f requests/s, p50 %8.1f ms, p99 %8.1f ms, %d refused, %d broken\n",
                $title,
                $row['requests_per_second'],
                $row['p50_ms'],
                $row['p99_ms'],
                $row['refused'],
                $row['broken'],
            );
        }

        printf("  from the first answer on %.1f %% of what is possible\n", 100 * $figures['ideal_share']);
    }

    /** @param array<string, array<string, mixed>> $figures */
    private function durable(array $figures): void
    {
        echo "\nOne worker, 100 connections, answered when it is in the buffer\n";
        printf(
            "  %-38s %12s %8s %16s %10s %8s %8s\n",
            '',
            'events/s',
            'spread',
            'a CPU second',
            'p99 ms',
            'errors',
            'missing',
        );

        foreach ($figures as $key => $row) {
            [$durability, $lines] = explode('_', $key);
            printf(
                "  %-38s %12s %7.0f%% %16s %10.1f %8d %8d\n",
                match ($durability) {
                    'power' => 'synced to disk',
                    'jit' => 'synced to disk, PHP with JIT',
                    default => 'in the page cache',
                }.", {$lines} a request",
                number_format($row['events_per_second']['median']),
                100 * $row['events_per_second']['spread'],
                number_format($row['events_per_cpu_second']['median']),
                $row['p99_ms']['median'],
                $row['errors'],
                $row['missing'],
            );
        }
    }

    /** @param array<string, mixed> $figures */
    private function down(array $figures): void
    {
        echo "\n100 clients with an event every 25 ms, one worker, one flusher\n";

        foreach ([
            'up' => 'the index answers',
            'slow' => 'the index answers 50 ms later',
            'down' => 'nobody answers',
        ] as $side => $title) {
            $row = $figures['sides'][$side];
            $found = $figures['found'][$side];
            printf(
                "  %-30s %8.0f acks/s, p99 %6.1f ms, %d errors; %d acknowledged, %d in the index, %d lost, %d double\n",
                $title,
                $row['requests_per_second']['median'],
                $row['p99_ms']['median'],
                $row['errors'],
                $found['acknowledged'],
                $found['in_index'],
                $found['lost'],
                $found['double'],
            );
        }
    }

    /** @param array<string, mixed> $figures */
    private function soak(array $figures): void
    {
        $soak = $figures['soak'];
        printf(
            "\n%.0f s at half of the %s events/s that intake, flusher and index together can do:"
                .' %s acks/s, p99 %.1f ms, %d refused, %d broken; %s acknowledged, %d lost, %d double, %d waited'
                ." at the end\n",
            $figures['seconds'],
            number_format($figures['delivered_per_second']),
            number_format($soak['requests_per_second']),
            $soak['p99_ms'],
            $soak['refused'],
            $soak['broken'],
            number_format($figures['acknowledged']),
            $figures['lost'],
            $figures['double'],
            $figures['waiting_at_the_end'],
        );

        foreach ($figures['memory'] as $kind => $row) {
            printf(
                "  %-12s %8.1f MB in the first quarter, %8.1f in the last (%.3f), %+.2f MB/h, %d process%s seen\n",
                $kind,
                $row['first_quarter_mb'],
                $row['last_quarter_mb'],
                $row['last_vs_first'],
                $row['mb_per_hour'],
                $row['processes'],
                $row['processes'] === 1 ? '' : 'es',
            );
        }
    }

    /** @param array<string, mixed> $figures */
    private function outage(array $figures): void
    {
        printf(
            "\nThe index away for %.0f s in the middle of %.0f s, 100 clients with an event every 25 ms, one worker,"
                ." one flusher\n",
            $figures['seconds_away'],
            3 * $figures['seconds_away'],
        );

        foreach ($figures['acks_per_second'] as $side => $row) {
            printf("  %-8s %8.0f acks/s, slowest five seconds %8.0f\n", $side, $row['mean'], $row['slowest']);
        }

        printf(
            '  p99 %.1f ms, %d refused, %d broken; %s waited when it was back; level again after %s s,'
                ." empty after %s s\n",
            $figures['client']['p99_ms'],
            $figures['client']['refused'],
            $figures['client']['broken'],
            number_format($figures['waiting_when_back']),
            $figures['caught_up_seconds'] ?? 'more',
            $figures['drained_seconds'] ?? 'more',
        );
        printf(
            "  %s acknowledged, %s in the index, %d lost, %d double\n",
            number_format($figures['acknowledged']),
            number_format($figures['in_index']),
            $figures['lost'],
            $figures['double'],
        );
    }

    /** @param array<string, list<array<string, mixed>>> $figures */
    private function growing(array $figures): void
    {
        echo "\nMore and more users, each with a request a second: requests/s and p50 in ms\n";
        printf('  %-10s', 'users');

        foreach (array_keys($figures) as $key) {
            printf(' %18s', strtr($key, ['_x' => ', stack X', '_a' => ', stack A']));
        }

        foreach (array_keys(reset($figures) ?: []) as $step) {
            printf("\n  %-10d", reset($figures)[$step]['users'] ?? 0);

            foreach ($figures as $rows) {
                printf(' %18s', sprintf('%.0f (%.0f)', $rows[$step]['requests_per_second'], $rows[$step]['p50_ms']));
            }
        }

        echo "\n";
    }
}
