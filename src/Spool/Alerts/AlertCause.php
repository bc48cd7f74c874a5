<?php

declare(strict_types=1);

namespace Headroom\Spool\Alerts;

/**
 * Why an alert is raised.
 */
enum AlertCause: string
{
    /** Events have been waiting for too long, and no flush has failed. */
    case NothingDelivers = 'nothing_delivers';

    case DeadLetters = 'dead_letters';

    /** Its flush fails, its files cannot be read, or it refuses events. */
    case BucketStopped = 'bucket_stopped';

    /** A disk with a buffer was restored, or copied and both copies are in use. */
    case Fork = 'fork';

    case DiskShort = 'disk_short';

    case NodeSilent = 'node_silent';

    public function title(): string
    {
        return match ($this) {
            self::NothingDelivers => 'Nothing delivers',
            self::DeadLetters => 'Dead letters',
            self::BucketStopped => 'A bucket has stopped',
            self::Fork => 'A disk was copied or restored',
            self::DiskShort => 'Disk space is short',
            self::NodeSilent => 'A node is silent',
        };
    }
}
