<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Report;

use Headroom\Report\Page\Block;

/**
 * Something on a page that is drawn from figures.
 */
interface Drawing
{
    /**
     * @return list<Block>
     * @throws UnableToReport
     */
    public function draw(Figures $figures): array;
}
