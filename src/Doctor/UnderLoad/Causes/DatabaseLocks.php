<?php

declare(strict_types=1);

namespace Headroom\Doctor\UnderLoad\Causes;

use Headroom\Doctor\Database\BufferAdvice;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\UnderLoad\Bottleneck;
use Headroom\Doctor\UnderLoad\Cause;
use Headroom\Doctor\UnderLoad\CauseDetector;
use Headroom\Doctor\UnderLoad\PeerKind;
use Headroom\Doctor\UnderLoad\Recording;
use Headroom\Doctor\UnderLoad\Samplers\DatabaseSnapshot;

/**
 * @internal
 */
final readonly class DatabaseLocks implements CauseDetector
{
    /** Share of the processes that wait for the server. The others do not wait for locks. */
    private const MIN_LOCK_SHARE = 0.4;

    public function in(Recording $recording): ?Cause
    {
        $waits = PeerKind::Database->waited();
        $share = $recording->dominantShare($waits);
        $snapshots = $recording->databases();

        if ($share === null || $snapshots === []) {
            return null;
        }

        $locked = array_sum(array_map(static fn (DatabaseSnapshot $snapshot): int => $snapshot->lockWaits, $snapshots))
            / count($snapshots);

        return $locked < self::MIN_LOCK_SHARE * $recording->waits->processes($waits) ? null : new Cause(
            Bottleneck::DatabaseLocks,
            $share,
            sprintf(
                'Requests wait for rows that another transaction has locked in %s: %s wait for it, %.0f of them'
                    .' for a lock%s.',
                $recording->database,
                $recording->of($waits),
                $locked,
                $recording->idleSuffix(),
            ),
            [
                new Evidence(
                    'transactions that wait for a lock',
                    sprintf('%.1f on average of %d samples', $locked, count($snapshots)),
                    $recording->database,
                ),
                ...$recording->evidence(),
            ],
            $recording->severity(),
            'Keep transactions short. These show the transaction that holds the lock:'
                .' information_schema.innodb_lock_waits (MariaDB), sys.innodb_lock_waits (MySQL), pg_blocking_pids(pid)'
                .' (PostgreSQL).',
            BufferAdvice::insteadOfCounting(),
        );
    }
}
