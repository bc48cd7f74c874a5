<?php

declare(strict_types=1);

namespace Headroom\Spool;

/**
 * What became of events that the buffer could not take.
 */
enum RefusalOutcome: string
{
    /** The sink has them. */
    case Direct = 'direct';

    /** Redis could not take them, and this machine's disk did: they are accepted. */
    case OnDisk = 'on_disk';

    /** Given up, as the bucket's overflow setting says. */
    case Dropped = 'dropped';

    /** The sink had them within the caller's transaction, and that was rolled back. */
    case RolledBack = 'rolled_back';

    /** The caller got an exception and still has them. */
    case Thrown = 'thrown';
}
