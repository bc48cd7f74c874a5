<?php

declare(strict_types=1);

namespace Headroom\Report\Page;

/**
 * A block that is a picture, with its numbers below it.
 *
 * @internal
 */
interface Chart extends Block
{
    /** Unique on the page: the figure has it, so that `#id` leads there. */
    public function id(): string;
}
