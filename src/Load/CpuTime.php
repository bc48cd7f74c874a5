<?php

declare(strict_types=1);

namespace Headroom\Load;

/**
 * What this process has used so far.
 */
interface CpuTime
{
    /** User and system time together. */
    public function micros(): int;
}
