<?php

declare(strict_types=1);

namespace Headroom\Report\Page;

/**
 * A block of blocks.
 *
 * @internal
 */
interface Container extends Block
{
    /** @return list<Block> */
    public function blocks(): array;
}
