<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Stacks;

/**
 * The memory of another process, which runs on meanwhile.
 */
interface Memory
{
    /** @throws UnableToRead */
    public function read(int $address, int $bytes): string;
}
