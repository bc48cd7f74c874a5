<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Checks;

use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Nginx\Fpm\HalfKeepalive;
use Headroom\Doctor\Nginx\NginxCheck;
use Headroom\Doctor\Nginx\NginxServer;

/**
 * @internal
 */
final readonly class IncompleteKeepalive implements NginxCheck
{
    public function examine(NginxServer $nginx, Facts $facts): iterable
    {
        $halves = HalfKeepalive::of($nginx);

        foreach ($halves as $half) {
            $why = $half->unresolved($nginx);
            $finding = $why !== null ? Finding::unavailable($why) : Finding::warn(
                $half->text,
                [
                    $nginx->evidence($half->pass->keepConn),
                    $half->upstream === null
                        ? new Evidence('keepalive', 'no upstream', $half->pass->said->where())
                        : $nginx->evidence($half->upstream->keepalive),
                ],
                'This half has no effect alone. The other half would let idle connections hold processes of PHP-FPM.',
                $nginx->fix('Remove the half that is set.', $half->removed),
            );

            yield $finding->about($half->name);
        }

        if ($halves === []) {
            yield Finding::pass('both halves are configured, or neither');
        }
    }
}
