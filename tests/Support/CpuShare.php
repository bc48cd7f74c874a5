<?php

declare(strict_types=1);

namespace Headroom\Tests\Support;

use Headroom\Doctor\Kernel\CpuTicks;
use Headroom\Doctor\Kernel\KernelFiles;
use Headroom\Process\Proc;

/**
 * Which share of this machine's CPU time other programs took, those of other machines on its host counted in.
 */
final readonly class CpuShare
{
    private function __construct(private CpuTicks $machine, private int $own) {}

    public static function now(): self
    {
        return new self(CpuTicks::now(new KernelFiles), self::own());
    }

    /** From 0 to 1. */
    public function ofOthersSince(): float
    {
        $now = self::now();
        $all = max(1, $now->machine->all - $this->machine->all);
        $busy = $all - ($now->machine->idle - $this->machine->idle);

        return min(1.0, max(0.0, ($busy - ($now->own - $this->own)) / $all));
    }

    /** Ticks of this process, of those that it has started and of those that these have waited for. */
    private static function own(): int
    {
        $self = (int) getmypid();

        return array_sum(array_map(self::ticks(...), [$self, ...array_keys((new Proc)->descendants($self))]));
    }

    private static function ticks(int $pid): int
    {
        // utime, stime, cutime and cstime are the 12th to the 15th field behind the name: proc_pid_stat(5).
        $fields = explode(' ', (string) strrchr((string) @file_get_contents("/proc/{$pid}/stat"), ')'));

        return array_sum(array_map(intval(...), array_slice($fields, 12, 4)));
    }
}
