<?php

declare(strict_types=1);

namespace Headroom\Doctor\UnderLoad\Causes;

use Headroom\Doctor\UnderLoad\Bottleneck;
use Headroom\Doctor\UnderLoad\Cause;
use Headroom\Doctor\UnderLoad\CauseDetector;
use Headroom\Doctor\UnderLoad\Recording;
use Headroom\Doctor\UnderLoad\Waits\Wait;
use Headroom\Doctor\UnderLoad\Waits\WaitKind;

/**
 * The process that holds such a lock computes, or waits for a CPU: if the CPUs are full, they are the cause.
 *
 * @internal
 */
final readonly class KernelLocks implements CauseDetector
{
    public function in(Recording $recording): ?Cause
    {
        $waits = static fn (Wait $wait): bool => $wait->kind === WaitKind::KernelLock;
        $share = $recording->isCpuFull() ? null : $recording->dominantShare($waits);

        return $share === null ? null : new Cause(
            Bottleneck::KernelLocks,
            $share,
            sprintf(
                'Requests wait for each other inside the kernel: %s wait for a lock, mostly that of a directory in'
                    .' which others create or remove files%s.',
                $recording->of($waits),
                $recording->idleSuffix(),
            ),
            $recording->evidence(),
            $recording->severity(),
            'Keep sessions and cache out of files, or spread files over more directories. To see the lock, run sudo cat'
                .' /proc/PID/stack for a process in state D.',
        );
    }
}
