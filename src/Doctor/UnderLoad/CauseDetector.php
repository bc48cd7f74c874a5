<?php

declare(strict_types=1);

namespace Headroom\Doctor\UnderLoad;

/**
 * Looks for one cause of slow requests in a recording, and reads nothing else.
 *
 * @internal
 */
interface CauseDetector
{
    /** Null if the recording does not support it. */
    public function in(Recording $recording): ?Cause;
}
