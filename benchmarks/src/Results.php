<?php

declare(strict_types=1);

namespace Headroom\Benchmarks;

use Headroom\Bench\Results\ResultsText;
use Headroom\Bench\Results\UnableToReadResults;
use Headroom\Report\ReportFile;
use RuntimeException;

/**
 * The results file. A part that did not run keeps what it had, with the machine and the commit that it was measured on.
 */
final class Results
{
    /** @var array<string, true> */
    private array $now = [];

    /**
     * @param list<string> $all names of the parts, in the order of the file
     * @param list<string> $extra names of others behind them, which no run has to have
     * @param array<array-key, mixed> $parts by name: machine, figures and result; what was there before is as it was
     *                                       found, and may be what is to be measured again because it is wrong
     */
    private function __construct(
        public readonly string $path,
        private readonly string $experiment,
        private readonly array $all,
        private readonly array $extra,
        private readonly bool $isQuick,
        private array $parts,
    ) {}

    /**
     * @param list<string> $parts their names, in the order of the file
     * @param list<string> $extra those that run only when they are named
     * @throws UnableToReadResults when there is a file, and it is none of this experiment
     */
    public static function of(string $experiment, array $parts, bool $isQuick, array $extra = []): self
    {
        $path = dirname(__DIR__)."/results/{$experiment}".($isQuick ? '-quick' : '').'.json';
        $before = is_file($path) ? ResultsText::read($path, $experiment)->value('parts') : null;

        return new self($path, $experiment, $parts, $extra, $isQuick, is_array($before) ? $before : []);
    }

    /**
     * @param array{
     *     figures: array<array-key, mixed>,
     *     result: array<string, int|float|array<string, int|float>>,
     * } $measured
     * @param array<string, mixed> $machine
     */
    public function add(string $part, array $measured, array $machine): void
    {
        $this->parts[$part] = ['machine' => $machine, ...$measured];
        $this->now[$part] = true;
    }

    public function save(): void
    {
        $parts = array_filter(array_replace(array_fill_keys([...$this->all, ...$this->extra], null), $this->parts));
        $report = [
            'experiment' => $this->experiment,
            'quick' => $this->isQuick,
            'result' => self::together(array_column($parts, 'result')),
            'parts' => $parts,
        ];

        is_dir(dirname($this->path)) || mkdir(dirname($this->path));
        $json = json_encode(
            $report,
            JSON_PRETTY_PRINT | JSON_UNESCAPED_SLASHES | JSON_PRESERVE_ZERO_FRACTION | JSON_THROW_ON_ERROR,
        )
            ."\n";
        $obstacle = ReportFile::write($this->path, $json);
        $obstacle === null || throw new RuntimeException("{$this->path} could not be written: {$obstacle}.");
    }

    public function isWhole(): bool
    {
        return array_diff($this->all, array_keys($this->now)) === [];
    }

    /** @return array<array-key, mixed> by name: machine, figures and result */
    public function measuredNow(): array
    {
        return array_intersect_key($this->parts, $this->now);
    }

    /** @return array<string, mixed> what was measured now, and which parts were not */
    public function line(): array
    {
        $line = self::together(array_column($this->measuredNow(), 'result'));
        $left = array_values(array_diff($this->all, array_keys($this->now)));

        return $left === [] ? $line : [...$line, 'partial' => true, 'not_measured' => $left];
    }

    /**
     * Several parts count errors, and what was lost or double.
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
