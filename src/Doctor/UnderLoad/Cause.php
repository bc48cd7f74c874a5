<?php

declare(strict_types=1);

namespace Headroom\Doctor\UnderLoad;

/**
 * A pure function of the recording.
 *
 * @internal
 */
interface Cause
{
    /** Null if the recording does not support it. */
    public function in(Recording $recording): ?Candidate;
}
