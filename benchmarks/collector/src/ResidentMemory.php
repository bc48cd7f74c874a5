<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Collector;

use Headroom\Bench\Samples;

/**
 * Memory of the collector's processes, sampled throughout. Two figures show growth: the first and the last quarter of
 * the samples, and the slope of a line through all of them.
 */
final class ResidentMemory
{
    /** @var array<string, list<array{float, float}>> seconds and MB of each sample, by kind of process */
    private array $looks = [];

    /** @var array<string, array<int, true>> pids that were seen, by kind */
    private array $seen = [];

    public function look(StackX $x, float $second): void
    {
        foreach ([
            'worker' => $x->pids('worker'),
            'flusher' => $x->pids('flusher'),
            'supervisor' => [$x->pid()],
        ] as $kind => $pids) {
            $this->seen[$kind] = ($this->seen[$kind] ?? []) + array_fill_keys($pids, true);
            $this->looks[$kind][] = [$second, array_sum(array_map(self::megabytes(...), $pids))];
        }
    }

    /** @return array<string, array<string, mixed>> by kind; all processes of a kind together, in MB */
    public function figures(): array
    {
        $figures = [];

        foreach ($this->looks as $kind => $looks) {
            $quarter = max(1, intdiv(count($looks), 4));
            $megabytes = array_column($looks, 1);
            $first = (new Samples(array_slice($megabytes, 0, $quarter)))->median();
            $last = (new Samples(array_slice($megabytes, -$quarter)))->median();
            $figures[$kind] = [
                'first_quarter_mb' => round($first, 2),
                'last_quarter_mb' => round($last, 2),
                'last_vs_first' => round($last / max(0.001, $first), 4),
                'mb_per_hour' => round(3600 * self::slope($looks), 3),
                'max_mb' => round(max($megabytes), 2),
                'processes' => count($this->seen[$kind]),
                'looks' => count($looks),
            ];
        }

        return $figures;
    }

    /**
     * Slope by least squares.
     * @param list<array{float, float}> $looks
     */
    private static function slope(array $looks): float
    {
        $seconds = array_sum(array_column($looks, 0)) / count($looks);
        $megabytes = array_sum(array_column($looks, 1)) / count($looks);
        $up = array_sum(array_map(
            static fn (array $look): float => ($look[0] - $seconds) * ($look[1] - $megabytes),
            $looks,
        ));
        $along = array_sum(array_map(static fn (array $look): float => ($look[0] - $seconds) ** 2, $looks));

        return $along > 0.0 ? $up / $along : 0.0;
    }

    /** Null for a process that has just ended. */
    private static function megabytes(int $pid): float
    {
        return preg_match('/^VmRSS:\s+(\d+) kB/m', (string) @file_get_contents("/proc/{$pid}/status"), $m) === 1
            ? (int) $m[1] / 1024
            : 0.0;
    }
}
