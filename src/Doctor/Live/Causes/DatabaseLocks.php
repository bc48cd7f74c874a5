<?php

declare(strict_types=1);

namespace Headroom\Doctor\Live\Causes;

use Headroom\Doctor\Evidence;
use Headroom\Doctor\Live\Cause;
use Headroom\Doctor\Live\DatabaseMoment;
use Headroom\Doctor\Live\Peers;
use Headroom\Doctor\Live\Recording;
use Headroom\Doctor\Live\Stall;
use Headroom\Doctor\Live\Suspect;
use Headroom\Doctor\WriteBuffer;

use function array_map;
use function array_sum;
use function count;
use function sprintf;

/**
 * @internal
 */
final readonly class DatabaseLocks implements Cause
{
    /** Of the processes that wait for the server: the others wait for something else than locks. */
    private const MUCH = 0.4;

    public function in(Recording $recording): ?Suspect
    {
        $waits = Peers::Database->waited();
        $share = $recording->much($waits);
        $moments = $recording->databases();

        if ($share === null || $moments === []) {
            return null;
        }

        $locked = array_sum(array_map(static fn (DatabaseMoment $moment): int => $moment->lockWaits, $moments))
            / count($moments);

        return $locked < self::MUCH * $recording->waits->processes($waits) ? null : new Suspect(
            Stall::DatabaseLocks,
            $share,
            sprintf(
                'Requests wait for rows that another transaction has locked in %s: %s wait for it, %.0f of them'
                    .' for a lock%s.',
                $recording->database,
                $recording->of($waits),
                $locked,
                $recording->idleWords(),
            ),
            [
                new Evidence(
                    'transactions that wait for a lock',
                    sprintf('%.1f on the average of %d looks', $locked, count($moments)),
                    $recording->database,
                ),
                ...$recording->evidence(),
            ],
            $recording->severity(),
            'Keep transactions short. To see which transaction holds the lock: '
            .'select * from information_schema.innodb_lock_waits, sys.innodb_lock_waits or pg_blocking_pids(pid).',
            WriteBuffer::insteadOfCounting(),
        );
    }
}
