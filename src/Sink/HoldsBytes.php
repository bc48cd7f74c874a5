<?php

declare(strict_types=1);

namespace Headroom\Sink;

/**
 * A sink with columns that hold bytes and not text. A string that was altered to be UTF-8 must not get into one.
 *
 * @internal
 */
interface HoldsBytes
{
    /** @throws UnableToDeliver it cannot be known now */
    public function holdsBytes(string $column): bool;
}
