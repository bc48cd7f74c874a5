<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Report;

use Headroom\Report\Page\BarChart;
use Headroom\Report\Page\Bars as Series;

/**
 * A bar chart. A bar is a template of one figure, or a number that others have published.
 */
final readonly class Bars implements Drawing
{
    private const GREY = 8;

    /**
     * @param list<string> $names
     * @param array<string, list<string|float|null>> $series by name, each with a value for each of the names
     */
    public function __construct(
        private string $id,
        private string $title,
        private string $note,
        private string $unit,
        private array $names,
        private array $series,
    ) {}

    public function draw(Figures $figures): array
    {
        $bars = [];

        foreach ($this->series as $name => $values) {
            $isPublished = array_filter($values, is_string(...)) === [];
            $bars[] = new Series($name, array_map(
                static fn (string|float|null $value): ?float => is_string($value)
                    ? Quantity::of($figures->at($value))->value
                    : $value,
                $values,
            ), $isPublished ? self::GREY : null);
        }

        return [new BarChart(
            $this->id,
            $this->title,
            $this->note,
            $this->names,
            Template::unit($this->unit),
            $bars,
            isHorizontal: true,
        )];
    }
}
