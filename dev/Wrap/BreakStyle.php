<?php

declare(strict_types=1);

namespace Headroom\Dev\Wrap;

/** @internal */
enum BreakStyle
{
    /** A line for each item or operator. */
    case Each;
    /** Brackets on lines of their own, and all items between them. */
    case Packed;
    /** A new line only where the next item does not fit. */
    case Filled;
}
