<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Chart;

use Closure;
use Headroom\Benchmarks\Html;

/**
 * Lines over time as an SVG: what was the case step by step above it, seconds below.
 */
final readonly class LineChart
{
    private const WIDTH = 400;

    private const HEIGHT = 240;

    private const LEFT = 56;

    private const RIGHT = 8;

    private const TOP = 28;

    private const BOTTOM = 24;

    /**
     * @param string $id of the page's own, unique in it
     * @param string $bandTitle what the labels of the bands count
     * @param list<Band> $bands one after the other, from 0 on
     * @param list<Series> $series what comes first lies on top
     * @param Closure(float): string $words a value of the vertical axis
     */
    public function __construct(
        private string $id,
        private string $title,
        private string $description,
        private string $bandTitle,
        private array $bands,
        private array $series,
        private Axis $axis,
        private Closure $words,
    ) {}

    /** @throws InvalidChart */
    public function draw(): Html
    {
        $time = Axis::upTo(array_reduce($this->bands, static fn (float $end, Band $band): float => max($end, $band->to), 0.0));
        $place = fn (Point $point): array => [self::x($time, $point->x), $this->y((float) $point->y)];
        $hasValues = array_filter($this->series, static fn (Series $series): bool => $series->values() !== []) !== [];

        return Html::element('svg', ['class' => 'chart', 'viewBox' => '0 0 '.self::WIDTH.' '.self::HEIGHT, 'role' => 'img', 'aria-labelledby' => "{$this->id}-title {$this->id}-words"],
            Html::element('title', ['id' => "{$this->id}-title"], $this->title),
            Html::element('desc', ['id' => "{$this->id}-words"], $this->description),
            $this->steps($time),
            $this->grid(),
            $this->times($time),
            ...($hasValues ? array_map(static fn (Series $series): Html => $series->draw($place), array_reverse($this->series)) : [self::label(self::WIDTH / 2, self::HEIGHT / 2, 'middle', 'not measured')]),
        );
    }

    /** @return Html names of the lines, with how they are drawn */
    public function legend(): Html
    {
        return Html::element('ul', ['class' => 'legend'], ...array_map(static fn (Series $series): Html => $series->legend(), $this->series));
    }

    private function steps(Axis $time): Html
    {
        $drawn = [self::label(self::LEFT - 6, self::TOP - 8, 'end', $this->bandTitle)];

        foreach ($this->bands as $number => $band) {
            [$from, $to] = [self::x($time, $band->from), self::x($time, $band->to)];
            $drawn[] = Html::element('rect', ['class' => $number % 2 === 0 ? 'band' : 'band other', 'x' => self::fixed($from), 'y' => self::TOP, 'width' => self::fixed($to - $from), 'height' => self::HEIGHT - self::TOP - self::BOTTOM]);
            $drawn[] = self::label(($from + $to) / 2, self::TOP - 8, 'middle', $band->label);
        }

        return Html::element('g', [], ...$drawn);
    }

    private function grid(): Html
    {
        $drawn = [];

        foreach ($this->axis->ticks as $tick) {
            $y = $this->y($tick);
            $drawn[] = Html::element('path', ['class' => 'grid', 'd' => sprintf('M%d %.1fH%d', self::LEFT, $y, self::WIDTH - self::RIGHT)]);
            $drawn[] = self::label(self::LEFT - 6, $y + 4, 'end', ($this->words)($tick));
        }

        return Html::element('g', [], ...$drawn);
    }

    private function times(Axis $time): Html
    {
        return Html::element('g', [], ...array_map(static fn (float $tick): Html => self::label(self::x($time, $tick), self::HEIGHT - 8, $tick > 0 && $time->position($tick) > 0.95 ? 'end' : 'middle', number_format($tick).' s'), $this->bands === [] ? [] : $time->ticks));
    }

    private static function x(Axis $time, float $seconds): float
    {
        return self::LEFT + $time->position($seconds) * (self::WIDTH - self::LEFT - self::RIGHT);
    }

    private function y(float $value): float
    {
        return self::HEIGHT - self::BOTTOM - $this->axis->position($value) * (self::HEIGHT - self::TOP - self::BOTTOM);
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
