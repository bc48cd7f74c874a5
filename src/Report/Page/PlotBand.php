<?php

declare(strict_types=1);

namespace Headroom\Report\Page;

/**
 * A part of the x axis of a LineChart with a label, such as the number of users or an outage.
 *
 * @internal
 */
final readonly class PlotBand
{
    /** @throws InvalidPage */
    public function __construct(public int|float $from, public int|float $to, public string $label)
    {
        Assert::ascending([$from, $to], "band '{$label}'");
    }

    /** @return array{from: int|float, to: int|float, label: string} */
    public function toArray(): array
    {
        return ['from' => $this->from, 'to' => $this->to, 'label' => $this->label];
    }
}
