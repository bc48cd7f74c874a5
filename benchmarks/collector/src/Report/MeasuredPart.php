<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Collector\Report;

use Headroom\Bench\Results\Piece;
use Headroom\Bench\Results\UnableToReadResults;

/**
 * One part of the results: its figures by paths as in the file, `figures/100/collector_vs_fpm`.
 */
final readonly class MeasuredPart
{
    public function __construct(public string $name, private Piece $content) {}

    /**
     * A number, or the median of several; null where nothing was measured.
     *
     * @throws UnableToReadResults
     */
    public function value(string $path): ?float
    {
        [$piece, $key] = $this->place($path);

        return match (true) {
            $piece?->value($key) === null => null,
            is_array($piece->value($key)) => $piece->at($key)->number('median'),
            default => $piece->number($key),
        };
    }

    /**
     * Interquartile range as a share of the median; null of a single measurement.
     *
     * @throws UnableToReadResults
     */
    public function spread(string $path): ?float
    {
        return $this->ofSamples($path, 'spread');
    }

    /**
     * How many measurements the median is of.
     *
     * @throws UnableToReadResults
     */
    public function samples(string $path): ?float
    {
        return $this->ofSamples($path, 'samples');
    }

    /**
     * @return list<Step> of one scenario and stack; none when it was not measured
     * @throws UnableToReadResults
     */
    public function steps(string $series): array
    {
        $figures = $this->content->find('figures');

        return $figures?->find($series) === null ? [] : array_map(Step::of(...), $figures->list($series));
    }

    /** Such as `commit`, as it stands in the file. */
    public function machine(string $what): string
    {
        $value = $this->content->find('machine')?->value($what);

        return is_scalar($value) && $value !== '' ? (string) $value : 'unknown';
    }

    /** Commit, date and machine, as a sentence goes on. */
    public function origin(): string
    {
        return "commit {$this->machine('commit')}, {$this->machine('date')}, {$this->machine('cpu')},"
            ." {$this->machine('cores')} cores, PHP {$this->machine('php')}";
    }

    /** @return array<string, string> settings of PHP */
    public function settings(): array
    {
        $ini = $this->content->find('machine')?->value('ini');

        return array_map(strval(...), array_filter(is_array($ini) ? $ini : [], is_scalar(...)));
    }

    private function ofSamples(string $path, string $what): ?float
    {
        [$piece, $key] = $this->place($path);

        return is_array($piece?->value($key)) ? $piece->at($key)->number($what) : null;
    }

    /**
     * @return array{?Piece, string} the table that has it, null where there is none, and its key there
     * @throws UnableToReadResults
     */
    private function place(string $path): array
    {
        $keys = explode('/', $path);
        $last = array_pop($keys);
        $piece = $this->content;

        foreach ($keys as $key) {
            $piece = $piece?->find($key);
        }

        return [$piece, $last];
    }
}
