<?php

declare(strict_types=1);

namespace Headroom\Spool\Store;

use Headroom\Sink\Progress;

/**
 * A ledger that knows a log which went another way than the one that is here: the disk was set back, or copied and both copies
 * are in use.
 *
 * @internal
 */
final readonly class Fork
{
    /** False also where the ledger knows no checksum: an earlier version wrote it, the sink keeps none, or it was set back by hand. */
    public static function isThere(Progress $ledger, DeliveryState $state, Lineage $log): bool
    {
        $last = $state->progress;

        if ($ledger->checksum === '' || $ledger->position->isStart()) {
            return false;
        }

        if ($ledger->position->compare($last->position) > 0) {
            return $log->checksum($last, $ledger->position) !== $ledger->checksum;
        }

        // Where some of it was cleaned away, nothing is left to compare.
        return $last->checksum !== ''
            && $log->checksum($ledger, $last->position) !== $last->checksum
            && $log->isWhole($ledger->position, $last->position);
    }
}
