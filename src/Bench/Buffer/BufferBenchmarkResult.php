<?php

declare(strict_types=1);

namespace Headroom\Bench\Buffer;

use Headroom\Bench\Samples;
use Headroom\Report\Format;
use Headroom\Report\TextTable;

/**
 * The results of the benchmark, for people and for programs.
 *
 * @internal
 */
final readonly class BufferBenchmarkResult
{
    private const WAYS = [
        'naive' => 'file_put_contents(), LOCK_EX',
        'opened' => 'buffer(), opened for each event',
        'kept' => 'buffer(), file kept (a request, from the 2nd on)',
        'many' => 'addMany() of 100, for each event',
        'power' => "buffer(), durability 'power'",
    ];

    private const SINKS = ['none' => 'no sink: reading and decoding alone', 'database' => 'into a table'];

    /**
     * @param array<string, list<int>> $appends nanoseconds
     * @param array<int, array{ours: list<float>, naive: list<float>}> $parallel events a second
     * @param array<string, list<float>> $flushes rows a second
     */
    public function __construct(private array $appends, private array $parallel, private array $flushes) {}

    /** @return array<string, mixed> */
    public function toArray(): array
    {
        $parallel = [];

        foreach ($this->parallel as $processes => $rates) {
            $parallel[] = [
                'processes' => $processes,
                'events_per_second' => (new Samples($rates['ours']))->toArray(),
                'naive_events_per_second' => (new Samples($rates['naive']))->toArray(),
            ];
        }

        return [
            'append_micros' => array_map(self::micros(...), $this->appends),
            'parallel' => $parallel,
            'flush_rows_per_second' => array_map(
                static fn (array $rates): array => (new Samples($rates))->toArray(),
                array_filter($this->flushes),
            ),
        ];
    }

    /** @return list<string> */
    public function lines(): array
    {
        $append = TextTable::of(['an event of 300 bytes, microseconds', 'p50', 'p90', 'p99']);

        foreach ($this->appends as $way => $nanos) {
            $micros = self::micros($nanos);
            $append = $append->with(
                self::WAYS[$way] ?? $way,
                self::number($micros['p50']),
                self::number($micros['p90']),
                self::number($micros['p99']),
            );
        }

        $parallel = TextTable::of(['processes at once, events/s', 'buffer()', 'file_put_contents()']);

        foreach ($this->parallel as $processes => $rates) {
            $parallel = $parallel->with(
                (string) $processes,
                Format::count((int) (new Samples($rates['ours']))->median()),
                Format::count((int) (new Samples($rates['naive']))->median()),
            );
        }

        $flush = TextTable::of(['one flusher, rows/s', 'median', 'least', 'most']);

        foreach (array_filter($this->flushes) as $sink => $rates) {
            $samples = new Samples($rates);
            $flush = $flush->with(
                self::SINKS[$sink] ?? $sink,
                Format::count((int) $samples->median()),
                Format::count((int) $samples->min()),
                Format::count((int) $samples->max()),
            );
        }

        $lines = [];

        foreach ([$append, $parallel, $flush] as $table) {
            $lines = $table->isEmpty() ? $lines : [...$lines, '', ...$table->lines()];
        }

        return array_slice($lines, 1);
    }

    /**
     * @param list<int> $nanos
     * @return array{p50: float, p90: float, p99: float, max: float, samples: int}
     */
    private static function micros(array $nanos): array
    {
        $samples = new Samples($nanos);
        $at = static fn (float $q): float => round($samples->quantile($q) / 1000, 2);

        return ['p50' => $at(0.5), 'p90' => $at(0.9), 'p99' => $at(0.99), 'max' => $at(1), 'samples' => count($nanos)];
    }

    private static function number(float $micros): string
    {
        return number_format($micros, $micros < 100 ? 1 : 0);
    }
}
