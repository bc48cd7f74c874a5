<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Chart;

use Closure;
use Headroom\Benchmarks\Html;

/**
 * Medians with their quartiles as an SVG, one row below the other, around a line at 0.
 */
final readonly class RangeChart
{
    private const WIDTH = 400;

    private const LEFT = 92;

    private const RIGHT = 22;

    private const TOP = 6;

    private const ROW = 24;

    private const BOTTOM = 24;

    /** Of the caps at the quartiles, up and down. */
    private const CAP = 4;

    /**
     * @param string $id of the page's own, unique in it
     * @param list<Range> $ranges
     * @param float $floor so far from 0, on both sides, is no difference
     * @param Closure(float): string $words a value of the axis
     */
    public function __construct(private string $id, private string $title, private string $description, private array $ranges, private Axis $axis, private float $floor, private Closure $words) {}

    /** @throws InvalidChart */
    public function draw(): Html
    {
        return Html::element('svg', ['class' => 'chart', 'viewBox' => '0 0 '.self::WIDTH.' '.($this->bottom() + self::BOTTOM), 'role' => 'img', 'aria-labelledby' => "{$this->id}-title {$this->id}-words"],
            Html::element('title', ['id' => "{$this->id}-title"], $this->title),
            Html::element('desc', ['id' => "{$this->id}-words"], $this->description),
            $this->nothing(),
            $this->grid(),
            ...array_map($this->row(...), $this->ranges, array_keys($this->ranges)),
        );
    }

    private function nothing(): Html
    {
        // What is further than the axis would be drawn beside the chart.
        [$from, $to] = [max(self::LEFT, $this->x(-$this->floor)), min(self::WIDTH - self::RIGHT, $this->x($this->floor))];

        return Html::element('rect', ['class' => 'floor', 'x' => self::fixed($from), 'y' => self::TOP, 'width' => self::fixed(max(0.0, $to - $from)), 'height' => $this->bottom() - self::TOP]);
    }

    private function grid(): Html
    {
        $drawn = [];

        foreach ($this->axis->ticks as $tick) {
            $x = $this->x($tick);
            $drawn[] = Html::element('path', ['class' => $tick === 0.0 ? 'grid zero' : 'grid', 'd' => sprintf('M%.1f %dV%d', $x, self::TOP, $this->bottom())]);
            $drawn[] = self::label($x, $this->bottom() + 16, 'middle', ($this->words)($tick));
        }

        return Html::element('g', [], ...$drawn);
    }

    private function row(Range $range, int $number): Html
    {
        $y = self::TOP + ($number + 0.5) * self::ROW;
        $label = self::label(self::LEFT - 8, $y + 4, 'end', $range->label);

        if ($range->values === null) {
            return Html::element('g', [], $label, self::label(self::LEFT + 8, $y + 4, 'start', $range->words));
        }

        [$low, $middle, $high] = array_map($this->x(...), $range->values);
        $bar = sprintf('M%1$.1f %3$.1fv%4$dM%1$.1f %5$.1fH%2$.1fM%2$.1f %3$.1fv%4$d', $low, $high, $y - self::CAP, 2 * self::CAP, $y);

        return Html::element('g', [], $label, Html::element('g', ['class' => 'series x'.($range->isHollow ? ' second' : '')],
            Html::element('path', ['class' => 'line', 'd' => $bar]),
            Html::element('path', ['class' => 'marker', 'd' => Marker::Circle->path($middle, $y)], Html::element('title', [], "{$range->label}: {$range->words}")),
        ));
    }

    private function x(float $value): float
    {
        return self::LEFT + $this->axis->position($value) * (self::WIDTH - self::LEFT - self::RIGHT);
    }

    private function bottom(): int
    {
        return self::TOP + count($this->ranges) * self::ROW;
    }

    private static function label(float $x, float $y, string $anchor, string $text): Html
    {
        return Html::element('text', ['x' => self::fixed($x), 'y' => self::fixed($y), 'text-anchor' => $anchor], $text);
    }

    private static function fixed(float $value): string
    {
        return sprintf('%.1f', $value);
    }
}
