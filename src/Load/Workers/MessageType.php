<?php

declare(strict_types=1);

namespace Headroom\Load\Workers;

/**
 * The messages between `load --processes` and its workers. A worker that has read everything also sends
 * WorkerProcess::READY.
 *
 * @internal
 */
enum MessageType: string
{
    /** To a worker: the arguments and options of the command, and its share of the load. */
    case Assignment = 'assignment';

    /** To a worker: when the run starts, in nanoseconds of the monotonic clock, which all processes share. */
    case Start = 'start';

    /** From a worker, twice a second. */
    case Progress = 'progress';

    /** To a worker: end the run now. */
    case Stop = 'stop';

    /** From a worker: what it measured. */
    case Result = 'result';

    /** From a worker: why the run has no server to measure. */
    case NoServer = 'no_server';

    /** From a worker: why it cannot start or continue. */
    case Failure = 'failure';
}
