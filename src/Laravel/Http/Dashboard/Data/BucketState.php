<?php

declare(strict_types=1);

namespace Headroom\Laravel\Http\Dashboard\Data;

/**
 * The state of a bucket in one word.
 *
 * @internal
 */
enum BucketState: string
{
    case Ok = 'ok';

    /** Events wait for the next flush. */
    case Waiting = 'waiting';

    case Paused = 'paused';

    /** The last flush failed, and the next one tries again. */
    case Failing = 'failing';

    /** So many flushes in a row failed that the sink counts as down. */
    case Stopped = 'stopped';

    /** No flush has run, although events wait. */
    case Late = 'late';

    case Forked = 'forked';

    /** Its numbers cannot be read. */
    case Error = 'error';

    case Undeclared = 'undeclared';
}
