<?php

declare(strict_types=1);

namespace Headroom\Report\Page;

/**
 * A block of blocks.
 *
 * @internal
 */
interface Holder extends Block
{
    /** @return list<Block> */
    public function blocks(): array;
}
