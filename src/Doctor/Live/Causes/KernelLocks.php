<?php

declare(strict_types=1);

namespace Headroom\Doctor\Live\Causes;

use Headroom\Doctor\Facts\Waits\Wait;
use Headroom\Doctor\Facts\Waits\WaitKind;
use Headroom\Doctor\Live\Cause;
use Headroom\Doctor\Live\Recording;
use Headroom\Doctor\Live\Stall;
use Headroom\Doctor\Live\Suspect;

use function sprintf;

/**
 * Whoever holds such a lock computes, or waits for a CPU: where these are full it is they who are waited for.
 *
 * @internal
 */
final readonly class KernelLocks implements Cause
{
    public function in(Recording $recording): ?Suspect
    {
        $waits = static fn (Wait $wait): bool => $wait->kind === WaitKind::KernelLock;
        $share = $recording->isCpuFull() ? null : $recording->much($waits);

        return $share === null ? null : new Suspect(
            Stall::KernelLocks,
            $share,
            sprintf(
                'Requests wait for each other inside the kernel: %s wait for a lock, mostly that of a directory in'
                    .' which others make or remove files%s.',
                $recording->of($waits),
                $recording->idleWords(),
            ),
            $recording->evidence(),
            $recording->severity(),
            'Keep sessions and cache out of files, or spread files over more directories. What the lock is of:'
                .' sudo cat /proc/PID/stack of a process in state D.',
        );
    }
}
