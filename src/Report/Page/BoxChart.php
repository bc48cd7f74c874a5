<?php

declare(strict_types=1);

namespace Headroom\Report\Page;

/**
 * How far runs of the same thing are apart, one thing below the other.
 *
 * @internal
 */
final readonly class BoxChart implements Chart
{
    /**
     * @param string $note how to read it, a sentence with its full stop; '' for none
     * @param list<BoxPlot> $boxes
     * @throws InvalidPage
     */
    public function __construct(
        private string $id,
        private string $title,
        private string $note,
        private Unit $unit,
        private array $boxes,
        private Scale $scale = Scale::Linear,
    ) {
        ChartParts::check($id, $title);
        $this->isLog();
    }

    public function id(): string
    {
        return $this->id;
    }

    public function toArray(): array
    {
        return ChartParts::array(
            'boxes',
            $this,
            $this->title,
            $this->note,
            array_map(fn (BoxPlot $box): string => $box->summary($this->unit), $this->boxes),
            $this->numbers(),
            [
                'unit' => $this->unit->value,
                'boxes' => array_map(static fn (BoxPlot $box): array => $box->toArray(), $this->boxes),
                'log' => $this->isLog(),
            ],
        );
    }

    private function isLog(): bool
    {
        return $this->scale->isLog(
            array_merge(...array_map(
                static fn (BoxPlot $box): array => [...$box->five ?? [], $box->reference?->value],
                $this->boxes,
            )),
            "chart '{$this->id}'",
        );
    }

    private function numbers(): Table
    {
        $labels = array_values(array_unique(array_filter(
            array_map(static fn (BoxPlot $box): string => $box->reference->label ?? '', $this->boxes),
            static fn (string $label): bool => $label !== '',
        )));

        return new Table(
            ['', 'least', 'lower quartile', 'median', 'upper quartile', 'most', 'samples', ...$labels],
            array_map(fn (BoxPlot $box): array => [
                $box->name,
                ...array_map($this->unit->words(...), $box->five ?? [null, null, null, null, null]),
                $box->five === null
                    ? $box->words
                    : ($box->samples === [] ? Unit::Count->words(null) : (string) count($box->samples)),
                ...array_map(
                    fn (string $label): string
                        => $box->reference?->label === $label ? $this->unit->words($box->reference->value) : '',
                    $labels,
                ),
            ], $this->boxes),
        );
    }
}
