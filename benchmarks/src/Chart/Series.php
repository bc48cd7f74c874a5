<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Chart;

use Headroom\Benchmarks\Html;

final readonly class Series
{
    /**
     * @param string $class of CSS, which gives it its colour
     * @param bool $isSecond dashed, its markers hollow
     * @param list<Point> $points
     */
    public function __construct(public string $name, private string $class, private Marker $marker, public array $points, private bool $isSecond = false) {}

    /** @return list<float> */
    public function values(): array
    {
        return array_values(array_filter(array_column($this->points, 'y'), static fn (?float $y): bool => $y !== null));
    }

    /** @param callable(Point): array{float, float} $place of a point that has a value */
    public function draw(callable $place): Html
    {
        $line = '';
        $markers = [];
        $isOn = false;

        foreach ($this->points as $point) {
            if ($point->y !== null) {
                [$x, $y] = $place($point);
                $line .= sprintf('%s%.1f %.1f', $isOn ? 'L' : 'M', $x, $y);
                $markers[] = $this->mark($point->isFlawed ? Marker::Cross : $this->marker, $x, $y, Html::element('title', [], $point->words));
            }

            $isOn = $point->y !== null;
        }

        return Html::element('g', ['class' => $this->classes()], Html::element('path', ['class' => 'line', 'd' => $line]), ...$markers);
    }

    /** A short line with a marker, and the name. */
    public function legend(): Html
    {
        return Html::element('li', [], Html::element('svg', ['class' => 'key', 'viewBox' => '0 0 28 12', 'width' => 28, 'height' => 12, 'aria-hidden' => 'true'], Html::element('g', ['class' => $this->classes()],
            Html::element('path', ['class' => 'line', 'd' => 'M0 6H28']),
            $this->mark($this->marker, 14, 6),
        )), $this->name);
    }

    private function classes(): string
    {
        return "series {$this->class}".($this->isSecond ? ' second' : '');
    }

    private function mark(Marker $marker, float $x, float $y, Html|string $title = ''): Html
    {
        return Html::element('path', ['class' => $marker === Marker::Cross ? 'cross' : 'marker', 'd' => $marker->path($x, $y)], $title);
    }
}
