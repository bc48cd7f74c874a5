<?php

declare(strict_types=1);

namespace Headroom\Report\Page;

/**
 * A cross in a LineChart, where errors occurred.
 *
 * @internal
 */
final readonly class Marker
{
    /**
     * @param string $text the label: "12 errors"
     * @param int|float|null $y on the line that it belongs to; null is at the foot of the chart
     * @throws InvalidPage
     */
    public function __construct(public int|float $x, public string $text, public int|float|null $y = null)
    {
        Assert::finite([$x, $y], "mark '{$text}'");
        Assert::text($text, 'text of a mark');
    }

    /** @return array{x: int|float, y: int|float|null, text: string} */
    public function toArray(): array
    {
        return ['x' => $this->x, 'y' => $this->y, 'text' => $this->text];
    }
}
