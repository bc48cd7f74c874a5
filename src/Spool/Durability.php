<?php

declare(strict_types=1);

namespace Headroom\Spool;

/**
 * The failures that an acknowledged event survives: docs/durability.md.
 */
enum Durability: string
{
    /** The death of any process, but not of the machine. */
    case Process = 'process';

    /**
     * A power cut as well, except for events accepted since spool:work last synced the bucket. It does so each second.
     */
    case Interval = 'interval';

    /** A power cut as well: the event is synced to the disk before the call returns. */
    case Power = 'power';

    /** Whether a flush must sync the files that it relies on. */
    public function isSynced(): bool
    {
        return $this !== self::Process;
    }
}
