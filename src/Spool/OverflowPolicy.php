<?php

declare(strict_types=1);

namespace Headroom\Spool;

/**
 * The ways to handle events that the buffer cannot take.
 */
enum OverflowPolicy: string
{
    /** The events go to the sink within the call. If that fails too, the call throws UnableToAppend. */
    case Direct = 'direct';

    /** The call throws UnableToAppend. */
    case Throw = 'throw';

    /** The events are discarded and counted; the call returns. */
    case Drop = 'drop';
}
