<?php

declare(strict_types=1);

namespace Headroom\Spool;

/**
 * What an acknowledged event survives: docs/durability.md.
 */
enum Durability: string
{
    /** The death of any process, not of the machine. */
    case Process = 'process';

    /** A power cut as well, but for what was accepted since spool:work last put the bucket on disk, about a second. */
    case Interval = 'interval';

    /** A power cut as well: it is on disk before the call returns. */
    case Power = 'power';

    /** Whoever flushes puts on disk what it relies on. */
    public function isSynced(): bool
    {
        return $this !== self::Process;
    }
}
