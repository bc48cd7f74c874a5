<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Preload\Report;

use Headroom\Bench\Results\Piece;
use Headroom\Bench\Results\ResultsText;
use Headroom\Bench\Results\UnableToReadResults;
use Headroom\Benchmarks\MeasuredOn;

/**
 * What a run wrote.
 */
final readonly class ResultsFile
{
    /**
     * @param non-empty-list<Measured> $variants the one that the others are compared with is the first,
     *     its twin the second
     * @param array<string, string> $refused variants that were not measured, with what was said
     * @param array<string, string> $effort
     * @param array<string, string> $ini of the pools
     * @param array<string, Piece> $made by strategy: what was said when its list was made
     */
    private function __construct(
        public string $name,
        public bool $isQuick,
        public array $variants,
        public array $refused,
        public array $effort,
        public array $ini,
        public array $made,
        public MeasuredOn $machine,
    ) {}

    /** @throws UnableToReadResults */
    public static function read(string $path): self
    {
        $results = ResultsText::read($path, 'preload');

        return self::of(
            basename($path),
            $results->has('quick') && $results->isTrue('quick'),
            $results->at('parts', 'strategies'),
        );
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

    private static function of(string $name, bool $isQuick, Piece $part): self
    {
        $figures = $part->at('figures');
        $rows = $figures->rows('findings', 'variant');
        $pages = array_keys($rows[0]->at('costs')->all());

        foreach ($rows as $row) {
            array_keys($row->at('costs')->all()) === $pages
                || throw $row->wrong('costs', 'a table of the pages of the first row, '.implode(', ', $pages).',');
        }

        return new self(
            $name,
            $isQuick,
            array_map(Measured::of(...), $rows),
            $figures->at('refused')->texts(),
            self::settings($figures->at('effort')),
            self::settings($figures->at('ini')),
            $figures->at('made')->all(),
            MeasuredOn::of($part->at('machine')),
        );
    }

    /** @return array<string, string> as php.ini has them */
    private static function settings(Piece $settings): array
    {
        $texts = [];

        foreach ($settings->names() as $key) {
            $value = $settings->value($key);
            $texts[$key] = match (true) {
                is_bool($value) => (string) (int) $value,
                is_int($value) => (string) $settings->whole($key),
                is_float($value) => (string) $settings->number($key),
                default => $settings->text($key),
            };
        }

        return $texts;
    }
}
