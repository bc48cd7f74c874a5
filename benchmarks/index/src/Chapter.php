<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Index;

use Headroom\Bench\Results\UnableToReadResults;
use Headroom\Report\Page\Section;

/**
 * An article, and what was measured of it here.
 */
interface Chapter
{
    /** @throws UnableToReadResults */
    public function headline(): Headline;

    /** @throws UnableToReadResults */
    public function section(): Section;
}
