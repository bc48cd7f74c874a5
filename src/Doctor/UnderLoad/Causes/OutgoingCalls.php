<?php

declare(strict_types=1);

namespace Headroom\Doctor\UnderLoad\Causes;

use Headroom\Doctor\UnderLoad\Bottleneck;
use Headroom\Doctor\UnderLoad\Cause;
use Headroom\Doctor\UnderLoad\CauseDetector;
use Headroom\Doctor\UnderLoad\PeerKind;
use Headroom\Doctor\UnderLoad\Recording;
use Headroom\Doctor\UnderLoad\Waits\Wait;
use Headroom\Doctor\UnderLoad\Waits\WaitKind;

/**
 * A server other than Redis and the SQL server, or the lookup of its name.
 *
 * @internal
 */
final readonly class OutgoingCalls implements CauseDetector
{
    public function in(Recording $recording): ?Cause
    {
        $toOthers = PeerKind::Other->waited();
        $waits = static fn (Wait $wait): bool => $wait->kind === WaitKind::Resolving || $toOthers($wait);
        $share = $recording->dominantShare($waits);

        if ($share === null) {
            return null;
        }

        $resolving = $recording->waits->of(WaitKind::Resolving);
        $isNames = $resolving >= 0.5 * $recording->waits->processes($waits);
        $peer = $recording->waits->peer($waits);

        return new Cause(
            Bottleneck::OutgoingCalls,
            $share,
            $isNames
                ? sprintf(
                    'Requests wait for a name server%s: %s look up a name%s.',
                    $peer === null ? '' : " {$peer}",
                    $recording->of($waits),
                    $recording->idleSuffix(),
                )
                : sprintf(
                    'Requests wait for another server, %s: %s wait for it%s.',
                    $peer ?? 'with an unknown address',
                    $recording->of($waits),
                    $recording->idleSuffix(),
                ),
            $recording->evidence(),
            $recording->severity(),
            $isNames
                ? 'Cache the lookups: use a caching name server on this machine (systemd-resolved, unbound, nscd),'
                    .' or put the address into /etc/hosts.'
                : 'Give the call a timeout of a second or two, move it to a queued job, or cache its response.'
                    .' headroom logs:slow shows the line of the call (check F8 enables the slow log).'
                    .($peer === null || str_starts_with($peer, 'unix:')
                        ? ''
                        : ' If it is Redis or the SQL server of the application, name it, so that it is observed too:'
                            ." --redis={$peer}, or --database=mysql://user@{$peer}/name."),
        );
    }
}
