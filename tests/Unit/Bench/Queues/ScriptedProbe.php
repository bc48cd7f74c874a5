<?php

declare(strict_types=1);

namespace Headroom\Tests\Unit\Bench\Queues;

use Headroom\Bench\Queues\Results\ProbeResult;
use Headroom\Bench\Queues\Run\Probe;

/**
 * Finds a machine of any speed.
 */
final class ScriptedProbe implements Probe
{
    public int $taken = 0;

    /**
     * @param non-empty-list<array{int, int}> $machine what each look finds: CPU and disk, in microseconds;
     *     the last one stays
     */
    public function __construct(private readonly array $machine) {}

    public function take(): ProbeResult
    {
        return new ProbeResult(...$this->machine[min($this->taken++, count($this->machine) - 1)]);
    }
}
