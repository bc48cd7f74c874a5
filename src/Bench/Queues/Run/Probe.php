<?php

declare(strict_types=1);

namespace Headroom\Bench\Queues\Run;

use Headroom\Bench\Queues\Results\ProbeResult;
use Headroom\Bench\Queues\UnableToBench;

/**
 * Says how fast the machine is at this moment.
 *
 * @internal
 */
interface Probe
{
    /** @throws UnableToBench */
    public function take(): ProbeResult;
}
