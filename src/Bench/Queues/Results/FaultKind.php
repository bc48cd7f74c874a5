<?php

declare(strict_types=1);

namespace Headroom\Bench\Queues\Results;

/**
 * Why a run is not counted.
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

    /** The machine's fault: the driver is asked once more. */
    public function isOfTheMachine(): bool
    {
        return $this === self::Throttled;
    }
}
