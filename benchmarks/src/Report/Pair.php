<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Report;

use Headroom\Report\Page\Columns;

/**
 * Two charts, next to each other where the screen is wide enough.
 */
final readonly class Pair implements Drawing
{
    public function __construct(private Drawing $first, private Drawing $second) {}

    public function draw(Figures $figures): array
    {
        return [new Columns([...$this->first->draw($figures), ...$this->second->draw($figures)])];
    }
}
