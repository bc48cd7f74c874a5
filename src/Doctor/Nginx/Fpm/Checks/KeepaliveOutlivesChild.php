<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Fpm\Checks;

use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fpm\FpmPool;
use Headroom\Doctor\Fpm\FpmPools;
use Headroom\Doctor\Nginx\Fpm\IdleConnections;
use Headroom\Doctor\Nginx\NginxCheck;
use Headroom\Doctor\Nginx\NginxServer;

/**
 * @internal
 */
final readonly class KeepaliveOutlivesChild implements NginxCheck
{
    public function examine(NginxServer $nginx, Facts $facts): iterable
    {
        $kept = IdleConnections::of($nginx);
        $findings = $kept->isEmpty() ? [] : $kept->ofEachPool(
            $facts->get(FpmPools::class),
            static fn (FpmPool $pool, IdleConnections $own): Finding => self::ofPool($nginx, $pool, $own),
        );

        foreach (IdleConnections::unresolved($nginx) as $place => $why) {
            $findings[] = Finding::unavailable($why)->about($place);
        }

        return $kept->isEmpty() && $findings === []
            ? [Finding::skipped('connections to PHP-FPM are not kept')]
            : $findings;
    }

    private static function ofPool(NginxServer $nginx, FpmPool $pool, IdleConnections $kept): Finding
    {
        $most = $pool->integer('pm.max_requests');
        $evidence = [...$kept->requestLimits($nginx), $pool->evidence('pm.max_requests')];

        return $most === 0 ? Finding::pass('processes do not end', ...$evidence) : Finding::fail(
            "nginx keeps connections to processes that end after {$most} requests, counted over all connections.",
            $evidence,
            $nginx->fix($kept->removed()),
        );
    }
}
