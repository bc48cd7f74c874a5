<?php

declare(strict_types=1);

namespace Headroom\Process\Supervision;

/**
 * Why a process of a worker ends. The numbers are its exit codes below a supervisor. PHP never ends with one of them, nor do
 * exit() and dd() in code that a sink calls.
 *
 * @internal
 */
enum WorkerStopReason: int
{
    /** By a signal, a time limit or spool:restart. */
    case Stopped = 74;

    /** A round delivered nothing, and a bucket failed in it. */
    case Failed = 73;

    /** An unexpected exception, such as that of a closed output. */
    case Broken = 70;

    /** A round found no event. */
    case Drained = 71;

    /** It reached its memory limit; another process goes on. */
    case Full = 72;

    public function isFinal(): bool
    {
        return $this === self::Failed || $this === self::Drained;
    }
}
