<?php

declare(strict_types=1);

namespace Headroom\Spool\Worker;

/**
 * Why a worker process ended. The values are exit codes for the supervisor. PHP does not use them, and exit() or dd()
 * in the code of a sink does not either.
 *
 * @internal
 */
enum WorkerStopReason: int
{
    /** By a signal, a time limit or a restart. */
    case Stopped = 74;

    /** A round found no events, and a bucket had failed. */
    case Failed = 73;

    /** An unexpected failure, such as a lost output. */
    case Error = 70;

    /** A round found no events. */
    case Drained = 71;

    /** The process reached its memory limit; another one continues. */
    case MemoryLimit = 72;

    /** The name in the event WorkerStopping. It never changes, because applications compare it. */
    public function word(): string
    {
        return match ($this) {
            self::Stopped => 'stopped',
            self::Failed => 'failed',
            self::Error => 'error',
            self::Drained => 'drained',
            self::MemoryLimit => 'memory_limit',
        };
    }

    public function isFinal(): bool
    {
        return $this === self::Failed || $this === self::Drained;
    }
}
