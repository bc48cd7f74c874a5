<?php

declare(strict_types=1);

namespace Headroom\Bench\Queues;

/**
 * Says how fast the machine is at this moment.
 *
 * @internal
 */
interface Probe
{
    /** @throws UnableToBench */
    public function take(): Probed;
}
