<?php

declare(strict_types=1);

namespace Headroom\Report\Page;

/**
 * Medians with their quartiles around 0, one below the other: what a change does.
 * Grey around 0 is what is no difference.
 *
 * @internal
 */
final readonly class RangeChart implements Chart
{
    /**
     * @param string $note how to read it, a sentence with its full stop; '' for none
     * @param Unit $unit mostly Unit::Change
     * @param list<QuartileRange> $ranges
     * @param int|float $floor so far from 0, on both sides, is no difference; 0 for no such band
     * @param ?array{int|float, int|float} $axis from and to, for charts that are compared with each other;
     *     null fits this one
     * @throws InvalidPage
     */
    public function __construct(
        private string $id,
        private string $title,
        private string $note,
        private Unit $unit,
        private array $ranges,
        private int|float $floor = 0,
        private ?array $axis = null,
    ) {
        ChartParts::check($id, $title);
        Assert::ascending([0, $floor], "floor of the chart '{$id}'");
        Assert::ascending($axis ?? [], "axis of the chart '{$id}'");
    }

    public function id(): string
    {
        return $this->id;
    }

    public function toArray(): array
    {
        return ChartParts::array(
            'ranges',
            $this,
            $this->title,
            $this->note,
            array_map(static fn (QuartileRange $range): string => "{$range->name}: {$range->words}", $this->ranges),
            $this->numbers(),
            [
                'unit' => $this->unit->value,
                'ranges' => array_map(static fn (QuartileRange $range): array => $range->toArray(), $this->ranges),
                'floor' => $this->floor,
                'axis' => $this->axis,
            ],
        );
    }

    private function numbers(): Table
    {
        return new Table(['', 'lower quartile', 'median', 'upper quartile', 'in words'], array_map(
            fn (QuartileRange $range): array => [
                $range->name,
                ...array_map($this->unit->words(...), $range->values ?? [null, null, null]),
                $range->words,
            ],
            $this->ranges,
        ));
    }
}
