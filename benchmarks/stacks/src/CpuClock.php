<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Stacks;

use FFI;
use RuntimeException;

/**
 * CPU seconds of all threads of a process, including ended ones: /proc has them in hundredths of a second only.
 */
final readonly class CpuClock
{
    private const LIBC = 'typedef struct { long seconds; long nanos; } moment;'
        .' int clock_gettime(int clock, moment *moment);';

    public static function seconds(int $pid): float
    {
        $libc = FFI::cdef(self::LIBC, 'libc.so.6');
        $moment = $libc->new('moment');
        $isRead = $libc->clock_gettime((~$pid << 3) | 2, FFI::addr($moment)) === 0;

        return $isRead
            ? $moment->seconds + 1e-9 * $moment->nanos
            : throw new RuntimeException("{$pid} has no CPU clock.");
    }
}
