<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\WriteBuffer;

use Headroom\Process\Proc;
use RuntimeException;

/**
 * The CPU time of processes that live on, of all their threads.
 */
final readonly class CpuOf
{
    /** Of a clock tick: sysconf(_SC_CLK_TCK) is 100 on all Linux. */
    private const MICROS = 10_000;

    /** @param list<int> $pids */
    public function __construct(private array $pids) {}

    public function micros(): int
    {
        return self::MICROS * array_sum(array_map(
            static fn (int $pid): int => ((new Proc)->stat($pid)
                ?? throw new RuntimeException("Process {$pid} has ended while it was measured."))->cpuTicks,
            $this->pids,
        ));
    }
}
