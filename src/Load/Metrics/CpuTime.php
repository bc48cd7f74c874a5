<?php

declare(strict_types=1);

namespace Headroom\Load\Metrics;

/**
 * The CPU time that this process has used.
 */
interface CpuTime
{
    /** User and system time. */
    public function micros(): int;
}
