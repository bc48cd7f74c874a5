<?php

declare(strict_types=1);

namespace Headroom\Bench\Queues\Results;

/**
 * The reason why a run does not count.
 *
 * @internal
 */
enum FaultKind: string
{
    case Lost = 'lost';
    case Double = 'double';
    case LeftBehind = 'left_behind';
    case Failed = 'failed';
    case WorkerEnded = 'worker_ended';
    case Throttled = 'throttled';

    /** The machine's fault: the run is made again. */
    public function isOfTheMachine(): bool
    {
        return $this === self::Throttled;
    }
}
