<?php

declare(strict_types=1);

namespace Headroom\Report\Page;

/**
 * Bars for a few things that have names. With one kind of bars there is no legend.
 *
 * @internal
 */
final readonly class BarChart implements Chart
{
    /**
     * @param string $note how to read it, a sentence with its full stop; '' for none
     * @param list<string> $categories
     * @param list<Bars> $bars
     * @param bool $isStacked parts of a whole, one on the other
     * @param bool $isHorizontal for names that are long, or many
     * @throws InvalidPage
     */
    public function __construct(
        private string $id,
        private string $title,
        private string $note,
        private array $categories,
        private Unit $unit,
        private array $bars,
        private bool $isStacked = false,
        private bool $isHorizontal = false,
    ) {
        ChartParts::check($id, $title);

        foreach ($bars as $one) {
            Assert::length(count($one->values), count($categories), "bars '{$one->name}' of the chart '{$id}'");
        }
    }

    public function id(): string
    {
        return $this->id;
    }

    public function toArray(): array
    {
        return ChartParts::array('bars', $this, $this->title, $this->note, $this->summary(), $this->numbers(), [
            'categories' => $this->categories,
            'unit' => $this->unit->value,
            'bars' => array_map(static fn (Bars $bars): array => $bars->toArray(), $this->bars),
            'stacked' => $this->isStacked,
            'horizontal' => $this->isHorizontal,
        ]);
    }

    /** @return list<string> */
    private function summary(): array
    {
        $phrases = [];

        foreach ($this->categories as $number => $category) {
            $values = array_map(
                fn (Bars $bars): string => (count($this->bars) === 1 ? '' : "{$bars->name} ")
                    .$this->unit->words($bars->values[$number]),
                $this->bars,
            );
            $phrases[] = "{$category} ".implode(', ', $values);
        }

        return $phrases;
    }

    private function numbers(): Table
    {
        $rows = [];

        foreach ($this->categories as $number => $category) {
            $rows[] = [
                $category,
                ...array_map(fn (Bars $bars): string => $this->unit->words($bars->values[$number]), $this->bars),
            ];
        }

        return new Table(['', ...array_map(static fn (Bars $bars): string => $bars->name, $this->bars)], $rows);
    }
}
