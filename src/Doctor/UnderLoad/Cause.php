<?php

declare(strict_types=1);

namespace Headroom\Doctor\UnderLoad;

/**
 * A pure function of what was recorded.
 *
 * @internal
 */
interface Cause
{
    /** Null where the recording does not speak for it, or does not hold what would. */
    public function in(Recording $recording): ?Candidate;
}
