<?php

declare(strict_types=1);

namespace Headroom\Sink;

/**
 * A sink with binary columns. A string that was changed to make it valid UTF-8 must not be stored in one.
 *
 * @internal
 */
interface HoldsBytes
{
    /** @throws UnableToDeliver the sink could not read its columns */
    public function holdsBytes(string $column): bool;
}
