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
final readonly class DatabaseReplies implements CauseDetector
{
    public function in(Recording $recording): ?Cause
    {
        $waits = PeerKind::Database->waited();
        $share = $recording->dominantShare($waits);

        if ($share === null) {
            return null;
        }

        $snapshots = $recording->databases();
        $evidence = [];
        $why = '';

        if ($snapshots !== []) {
            $running = array_sum(array_map(
                static fn (DatabaseSnapshot $snapshot): int => $snapshot->running,
                $snapshots,
            ))
                / count($snapshots);
            $perSecond = $recording->perSecond() ?? 0.0;
            $statements = $recording->databasePerSecond(
                static fn (DatabaseSnapshot $snapshot): ?int => $snapshot->statements,
            );
            $why = sprintf(', which runs %.0f statements', $running);
            $evidence[] = new Evidence(
                'statements under way',
                sprintf('%.1f on average of %d samples', $running, count($snapshots)),
                $recording->database,
            );

            if ($statements !== null && $perSecond > 0.0) {
                $evidence[] = new Evidence(
                    'statements',
                    sprintf('%.1f/s, %.1f per request', $statements, $statements / $perSecond),
                    $recording->database,
                );
            }
        }

        return new Cause(
            Bottleneck::DatabaseReplies,
            // A cause that names locks or connections is more precise.
            0.98 * $share,
            sprintf(
                'Requests wait for results of %s: %s wait for it%s%s.',
                $recording->waits->peer($waits) === null || $snapshots !== []
                    ? $recording->database
                    : "the SQL server {$recording->waits->peer($waits)}",
                $recording->of($waits),
                $why,
                $recording->idleSuffix(),
            ),
            [...$evidence, ...$recording->evidence()],
            $recording->severity(),
            'Find the statements: enable the slow query log with a limit of 0.2 s (check D8), or look at show full'
                .' processlist or pg_stat_activity under load. The usual fix is an index, or fewer statements'
                .' per request.',
            BufferAdvice::insteadOfInserts(),
        );
    }
}
