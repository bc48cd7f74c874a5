<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Report;

use Closure;
use Headroom\Report\Page\Line;
use Headroom\Report\Page\LineChart;
use Headroom\Report\Page\Marker;
use Headroom\Report\Page\Scale;

/**
 * A line chart. A line is a list of points in the results.
 */
final readonly class Lines implements Drawing
{
    /**
     * @param array{string, string} $x key of a point, and unit
     * @param string $unit of y
     * @param array<string, array{string, string}> $lines by name: pointer of the list, and key of y
     * @param ?Closure(Figures): bool $isGap whether a point has no value that means anything
     * @param ?Closure(Figures): string $mark what is marked at a point; '' for nothing
     */
    public function __construct(
        private string $id,
        private string $title,
        private string $note,
        private array $x,
        private string $unit,
        private array $lines,
        private ?Closure $isGap = null,
        private ?Closure $mark = null,
    ) {}

    public function draw(Figures $figures): array
    {
        $lines = $marks = [];

        foreach ($this->lines as $name => [$pointer, $key]) {
            $points = [];

            foreach ($figures->entries($pointer) as $point) {
                $x = (float) $point->number($this->x[0]);
                $y = $this->isGap !== null && ($this->isGap)($point) ? null : $point->number($key);
                $points[] = [$x, $y];
                $words = $this->mark === null ? '' : ($this->mark)($point);
                $marks = $words === '' ? $marks : [...$marks, new Marker($x, "{$name}: {$words}", $y)];
            }

            $lines[] = new Line($name, $points);
        }

        return [new LineChart(
            $this->id,
            $this->title,
            $this->note,
            Template::unit($this->x[1]),
            Template::unit($this->unit),
            $lines,
            marks: $marks,
            markMeaning: 'failures',
            scale: Scale::Fitting,
        )];
    }
}
