<?php

declare(strict_types=1);

namespace Headroom\Benchmarks;

use Headroom\Benchmarks\Report\Figures;
use Headroom\Benchmarks\Report\UnableToReport;
use Headroom\Report\ReportFile;
use RuntimeException;

/**
 * The results file of an experiment in parts. A part that does not run keeps its figures, with the machine and the
 * commit that they were measured on.
 */
final class Results
{
    private const FLAGS = JSON_PRETTY_PRINT
        | JSON_UNESCAPED_SLASHES
        | JSON_PRESERVE_ZERO_FRACTION
        | JSON_THROW_ON_ERROR;

    /** @var array<string, true> */
    private array $now = [];

    /**
     * @param list<string> $all names of the parts, in the order of the file
     * @param list<string> $extra names of others behind them, which no run needs
     * @param array<array-key, mixed> $parts by name: machine, figures and result
     */
    private function __construct(
        private readonly string $path,
        private readonly string $experiment,
        private readonly array $all,
        private readonly array $extra,
        private readonly bool $isQuick,
        private array $parts,
    ) {}

    /**
     * @param list<string> $parts
     * @param list<string> $extra
     * @throws UnableToReport when there is a file that is not of this experiment
     */
    public static function of(string $experiment, array $parts, bool $isQuick, array $extra = []): self
    {
        $path = self::path($experiment, $isQuick);

        return new self(
            $path,
            $experiment,
            $parts,
            $extra,
            $isQuick,
            array_map(
                static fn (Figures $part): mixed => $part->raw(),
                Figures::read($path, $experiment)->at('parts?')->entries(),
            ),
        );
    }

    public static function path(string $experiment, bool $isQuick): string
    {
        return dirname(__DIR__)."/results/{$experiment}".($isQuick ? '-quick' : '').'.json';
    }

    /** @param array<string, mixed> $report */
    public static function write(string $path, array $report): void
    {
        $obstacle = ReportFile::write($path, json_encode($report, self::FLAGS)."\n");
        $obstacle === null || throw new RuntimeException("{$path} cannot be written: {$obstacle}.");
    }

    /**
     * @param array{figures: mixed, result: array<string, mixed>} $measured
     * @param array<string, mixed> $machine
     */
    public function add(string $part, array $measured, array $machine): void
    {
        $this->parts[$part] = ['machine' => $machine, ...$measured];
        $this->now[$part] = true;
        $parts = array_filter(array_replace(array_fill_keys([...$this->all, ...$this->extra], null), $this->parts));
        // After each part, so that one that fails costs itself only.
        self::write($this->path, [
            'experiment' => $this->experiment,
            'quick' => $this->isQuick,
            'result' => self::together(array_column($parts, 'result')),
            'parts' => $parts,
        ]);
    }

    /** @return array<string, mixed> results of this run, and the parts that it left out */
    public function line(): array
    {
        $line = self::together(array_column(array_intersect_key($this->parts, $this->now), 'result'));
        $left = array_values(array_diff($this->all, array_keys($this->now)));

        return $left === [] ? $line : [...$line, 'partial' => true, 'not_measured' => $left];
    }

    /**
     * Several parts count errors, and events that were lost or delivered twice.
     *
     * @param array<array-key, mixed> $results of each part
     * @return array<array-key, mixed>
     */
    private static function together(array $results): array
    {
        $results = array_values(array_filter($results, is_array(...)));
        $line = array_merge(...$results);

        foreach (['errors', 'refused', 'lost', 'double'] as $count) {
            isset($line[$count])
                && $line[$count] = array_sum(array_filter(array_column($results, $count), is_int(...)));
        }

        return $line;
    }
}
