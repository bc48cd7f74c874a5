<?php

declare(strict_types=1);

namespace Headroom\Spool\Store;

use Headroom\Sink\Progress;
use Headroom\Spool\Store\State\DeliveryState;

/**
 * Detects a ledger that belongs to a diverged copy of the log: the disk was set back, or it was copied and both copies
 * are in use.
 *
 * @internal
 */
final readonly class ForkDetector
{
    /**
     * Whether ledger and log have diverged. False also when the ledger has no checksum: an earlier version wrote it,
     * the sink keeps none, or an operator set it back.
     */
    public static function hasDiverged(Progress $ledger, DeliveryState $state, Lineage $log): bool
    {
        $last = $state->progress;

        if ($ledger->checksum === '' || $ledger->position->isStart()) {
            return false;
        }

        if ($ledger->position->compare($last->position) > 0) {
            return $log->checksum($last, $ledger->position) !== $ledger->checksum;
        }

        // When a segment between the two positions was cleaned away, the checksums cannot be compared.
        return $last->checksum !== ''
            && $log->checksum($ledger, $last->position) !== $last->checksum
            && $log->isWhole($ledger->position, $last->position);
    }
}
