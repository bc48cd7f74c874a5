<?php

declare(strict_types=1);

namespace Headroom\Tests\Acceptance\Load;

use Headroom\Load\Metrics\CpuTime;

final class SteppingCpuTime implements CpuTime
{
    private int $micros = 0;

    public function __construct(private readonly int $step) {}

    public function micros(): int
    {
        return $this->micros += $this->step;
    }
}
