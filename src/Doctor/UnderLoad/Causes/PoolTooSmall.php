<?php

declare(strict_types=1);

namespace Headroom\Doctor\UnderLoad\Causes;

use Headroom\Doctor\Evidence;
use Headroom\Doctor\UnderLoad\Bottleneck;
use Headroom\Doctor\UnderLoad\Cause;
use Headroom\Doctor\UnderLoad\CauseDetector;
use Headroom\Doctor\UnderLoad\PeerKind;
use Headroom\Doctor\UnderLoad\Recording;
use Headroom\Doctor\UnderLoad\Waits\Wait;
use Headroom\Doctor\UnderLoad\Waits\WaitKind;

/**
 * All processes are busy, the CPUs are idle, and the processes do not wait for one common thing.
 *
 * @internal
 */
final readonly class PoolTooSmall implements CauseDetector
{
    private const MIN_IDLE_SHARE = 0.3;

    /** Any more specific cause outranks this. */
    private const WEIGHT = 0.3;

    public function in(Recording $recording): ?Cause
    {
        $idle = $recording->idle();
        $busy = $recording->busy();
        $waiting = $recording->averageQueueLength();

        if (
            $idle === null
            || $idle < self::MIN_IDLE_SHARE
            || $waiting === null
            || $waiting < 1.0
            || $busy === null
            || $recording->maxChildren === null
            || $busy < 0.9 * $recording->maxChildren
            || ! $recording->isDegraded()
        ) {
            return null;
        }

        // Processes that cannot be inspected may all wait for one thing.
        if ($recording->waits->of(WaitKind::Unknown) > 0.5 * $busy || $this->hasDominantWait($recording)) {
            return null;
        }

        return new Cause(
            Bottleneck::PoolTooSmall,
            self::WEIGHT,
            sprintf(
                'Requests wait for a free process: all %d of the pool are busy, %.0f more wait for one%s,'
                    .' and the processes do not wait for one common thing.',
                $recording->maxChildren,
                $waiting,
                $recording->idleSuffix(),
            ),
            [
                new Evidence('pm.max_children', (string) $recording->maxChildren, 'php-fpm -tt'),
                ...$recording->evidence(),
            ],
            $recording->severity(),
            'Raise pm.max_children as far as memory allows (check F1 computes it).',
        );
    }

    private function hasDominantWait(Recording $recording): bool
    {
        foreach (PeerKind::cases() as $peers) {
            if ($recording->dominantShare($peers->waited()) !== null) {
                return true;
            }
        }

        foreach ([
            WaitKind::FileLock, WaitKind::Disk, WaitKind::KernelLock, WaitKind::Sleeping, WaitKind::Client,
            WaitKind::Resolving,
        ] as $kind) {
            if ($recording->dominantShare(static fn (Wait $wait): bool => $wait->kind === $kind) !== null) {
                return true;
            }
        }

        return false;
    }
}
