<?php

declare(strict_types=1);

namespace Headroom\Bench\Queues\Run;

use Headroom\Bench\Queues\Results\ProbeResult;
use Headroom\Bench\Queues\UnableToBench;

/**
 * Measures the speed of the machine at this moment.
 *
 * @internal
 */
interface Probe
{
    /** @throws UnableToBench */
    public function take(): ProbeResult;
}
