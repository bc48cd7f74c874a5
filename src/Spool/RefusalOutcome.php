<?php

declare(strict_types=1);

namespace Headroom\Spool;

/**
 * The outcome of an append that the buffer refused.
 */
enum RefusalOutcome: string
{
    /** The sink has them. */
    case Direct = 'direct';

    /** This machine's disk has them instead of Redis, so they are accepted. */
    case OnDisk = 'on_disk';

    /** They were discarded, as the bucket's `overflow` says. */
    case Dropped = 'dropped';

    /** The sink had them within the caller's transaction, which was rolled back. */
    case RolledBack = 'rolled_back';

    /** The caller got an exception and still has them. */
    case Thrown = 'thrown';
}
