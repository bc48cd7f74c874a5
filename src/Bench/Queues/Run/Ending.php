<?php

declare(strict_types=1);

namespace Headroom\Bench\Queues\Run;

/**
 * How it went when a worker took a job.
 *
 * @internal
 */
enum Ending: int
{
    /** It ran and left the queue. */
    case Done = 0;

    /** It ran, and what came after it failed, so that it may come again. */
    case Thrown = 1;

    /** It was given up by Laravel and went to the failed jobs. */
    case Failed = 2;
}
