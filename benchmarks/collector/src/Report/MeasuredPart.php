<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Collector\Report;

/**
 * One part of the results: its figures by paths as in the file, `figures/100/collector_vs_fpm`.
 */
final readonly class MeasuredPart
{
    /** @param array<array-key, mixed> $content */
    public function __construct(public string $name, private array $content) {}

    /**
     * A number, or the median of several.
     *
     * @throws UnableToReadResults
     */
    public function value(string $path): ?float
    {
        return $this->number($path) ?? $this->number("{$path}/median");
    }

    /** Interquartile range as a share of the median; null of a single measurement. */
    public function spread(string $path): ?float
    {
        return $this->number("{$path}/spread");
    }

    /** How many measurements the median is of. */
    public function samples(string $path): ?float
    {
        return $this->number("{$path}/samples");
    }

    /**
     * @return list<Step> of one scenario and stack; none when it was not measured
     * @throws UnableToReadResults
     */
    public function steps(string $series): array
    {
        $steps = $this->at("figures/{$series}");

        return array_map(fn (int|string $n): Step => Step::of($this, "figures/{$series}/{$n}"), array_keys(is_array($steps) ? $steps : []));
    }

    /** Such as `commit`, as it stands in the file. */
    public function machine(string $what): string
    {
        $value = $this->at("machine/{$what}");

        return is_scalar($value) && $value !== '' ? (string) $value : 'unknown';
    }

    /** Commit, date and machine, as a sentence goes on. */
    public function origin(): string
    {
        return "commit {$this->machine('commit')}, {$this->machine('date')}, {$this->machine('cpu')}, {$this->machine('cores')} cores, PHP {$this->machine('php')}";
    }

    /** @return array<string, string> settings of PHP */
    public function settings(): array
    {
        $ini = $this->at('machine/ini');

        return array_map(strval(...), array_filter(is_array($ini) ? $ini : [], is_scalar(...)));
    }

    private function number(string $path): ?float
    {
        $value = $this->at($path);

        if ($value === null || is_array($value)) {
            return null;
        }

        // 1e999 is infinite to PHP.
        return (is_int($value) || is_float($value)) && is_finite($value) && $value >= 0 ? (float) $value : throw UnableToReadResults::notANumber("{$this->name}/{$path}");
    }

    private function at(string $path): mixed
    {
        $value = $this->content;

        foreach (explode('/', $path) as $key) {
            $value = is_array($value) ? $value[$key] ?? null : null;
        }

        return $value;
    }
}
