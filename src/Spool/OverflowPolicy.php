<?php

declare(strict_types=1);

namespace Headroom\Spool;

/**
 * What happens to events that the buffer can not take.
 */
enum OverflowPolicy: string
{
    /** They go to the sink now; where that fails, too, the call throws. */
    case Direct = 'direct';

    /** The call throws UnableToAppend. */
    case Throw = 'throw';

    /** They are counted and given up; the call returns. */
    case Drop = 'drop';
}
