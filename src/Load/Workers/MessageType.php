<?php

declare(strict_types=1);

namespace Headroom\Load\Workers;

/**
 * @internal
 */
enum MessageType: string
{
    /** To a process: the arguments and options of the command, and its share. */
    case Job = 'job';

    /** From it: everything is read, and it can begin. */
    case Ready = 'ready';

    /** To it: when the run begins, in nanoseconds of the clock that all share. */
    case Go = 'go';

    /** From it, twice a second. */
    case Progress = 'progress';

    /** To it: the run ends now. */
    case Stop = 'stop';

    /** From it: what it saw. */
    case Measurement = 'measurement';

    /** From it: why the run has no server to measure. */
    case NoServer = 'no_server';

    /** From it: why it can not begin, or go on. */
    case Fault = 'fault';
}
