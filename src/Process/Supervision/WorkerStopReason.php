<?php

declare(strict_types=1);

namespace Headroom\Process\Supervision;

/**
 * Why a process of a worker ends. The numbers are its exit codes below a supervising process: none that PHP, or exit() and dd() in what a
 * sink calls, end with.
 *
 * @internal
 */
enum WorkerStopReason: int
{
    /** By a signal, a limit of time, or a restart. */
    case Stopped = 74;

    /** A round found nothing, but a bucket failed in it. */
    case Failed = 73;

    /** Something that no round expects, such as an output that is gone. */
    case Broken = 70;

    /** A round found nothing. */
    case Drained = 71;

    /** It takes more memory than it may; another one goes on. */
    case Full = 72;

    public function isFinal(): bool
    {
        return $this === self::Failed || $this === self::Drained;
    }
}
