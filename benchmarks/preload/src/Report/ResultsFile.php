<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Preload\Report;

use JsonException;

/**
 * What a run wrote.
 */
final readonly class ResultsFile
{
    /**
     * @param non-empty-list<Measured> $variants the one that the others are compared with is the first, its twin the second
     * @param array<string, string> $refused variants that were not measured, with what was said
     * @param array<string, string> $effort
     * @param array<string, string> $ini of the pools
     * @param array<string, Figures> $made by strategy: what was said when its list was made
     */
    private function __construct(public string $name, public bool $isQuick, public array $variants, public array $refused, public array $effort, public array $ini, public array $made, public Figures $machine) {}

    /** @throws UnableToReadResults */
    public static function read(string $path): self
    {
        $text = is_file($path) ? (string) file_get_contents($path) : throw UnableToReadResults::notThere($path);
        try {
            $results = json_decode($text, true, flags: JSON_THROW_ON_ERROR);
        } catch (JsonException) {
            throw UnableToReadResults::notOurs($path);
        }

        if (! is_array($results) || ($results['experiment'] ?? null) !== 'preload' || ! is_array($results['parts']['strategies'] ?? null)) {
            throw UnableToReadResults::notOurs($path);
        }

        return self::of(basename($path), ($results['quick'] ?? false) === true, new Figures($results['parts']['strategies'], 'strategies'));
    }

    public function variant(string $name): ?Measured
    {
        return array_column($this->variants, null, 'name')[$name] ?? null;
    }

    public function base(): Measured
    {
        return $this->variants[0];
    }

    /** @return list<string> those whose CPU time was measured */
    public function pages(): array
    {
        return array_keys($this->base()->costs);
    }

    private static function of(string $name, bool $isQuick, Figures $part): self
    {
        $figures = $part->at('figures');
        $variants = array_map(Measured::of(...), array_values($figures->at('findings')->all()));

        return new self($name, $isQuick, $variants === [] ? throw UnableToReadResults::missing('strategies/figures/findings', 'list of variants') : $variants, $figures->at('refused')->texts(), $figures->at('effort')->texts(), $figures->at('ini')->texts(), $figures->at('made')->all(), $part->at('machine'));
    }
}
