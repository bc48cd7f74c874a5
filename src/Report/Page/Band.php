<?php

declare(strict_types=1);

namespace Headroom\Report\Page;

/**
 * A piece of the x axis of a LineChart, and what was the case in it: so many users, a server that was away.
 *
 * @internal
 */
final readonly class Band
{
    /** @throws InvalidPage */
    public function __construct(public int|float $from, public int|float $to, public string $label)
    {
        Check::ascending([$from, $to], "band '{$label}'");
    }

    /** @return array{from: int|float, to: int|float, label: string} */
    public function toArray(): array
    {
        return ['from' => $this->from, 'to' => $this->to, 'label' => $this->label];
    }
}
