<?php

declare(strict_types=1);

namespace Headroom\Spool\FileStore\Maintenance;

/**
 * What became of a bucket that was to be retired.
 *
 * @internal
 */
enum RetirementOutcome: string
{
    case Retired = 'retired';

    /** Another process flushes it, or writes to it at this moment. */
    case Busy = 'busy';

    case EventsWait = 'events_wait';

    case DeadLettersWait = 'dead_letters_wait';

    /** Damaged bytes were set aside, and nothing else has them. */
    case Quarantined = 'quarantined';
}
