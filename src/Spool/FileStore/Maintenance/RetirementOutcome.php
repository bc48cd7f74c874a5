<?php

declare(strict_types=1);

namespace Headroom\Spool\FileStore\Maintenance;

/**
 * The outcome of retiring a bucket.
 *
 * @internal
 */
enum RetirementOutcome: string
{
    case Retired = 'retired';

    /** Another process is flushing the bucket or writing to it. */
    case Busy = 'busy';

    case EventsWait = 'events_wait';

    case DeadLettersWait = 'dead_letters_wait';

    /** The quarantine holds the only copy of damaged bytes. */
    case Quarantined = 'quarantined';
}
