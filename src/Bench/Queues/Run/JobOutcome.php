<?php

declare(strict_types=1);

namespace Headroom\Bench\Queues\Run;

/**
 * How a worker finished with a job.
 *
 * @internal
 */
enum JobOutcome: int
{
    /** It ran and left the queue. */
    case Done = 0;

    /** It ran, but the code after it failed, so it may run again. */
    case Thrown = 1;

    /** Laravel gave it up and moved it to the failed jobs. */
    case Failed = 2;
}
