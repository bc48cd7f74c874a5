<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Fpm;

use Headroom\Doctor\Facts;
use Headroom\Doctor\Fpm\FpmPool;
use Headroom\Doctor\Fpm\FpmPools;
use Headroom\Doctor\Nginx\Directives\Listen;
use Headroom\Doctor\Nginx\NginxServers;

/**
 * The backlogs that every nginx and all pools ask for. The kernel has one limit for all of them.
 *
 * @internal
 */
final readonly class Backlogs
{
    public static function largest(Facts $facts): int
    {
        $asked = [0];

        foreach ($facts->find(NginxServers::class)->known ?? [] as $nginx) {
            $listens = $nginx->facts->listens();
            array_push($asked, ...array_map(static fn (Listen $listen): int => $listen->backlog, $listens));
        }

        $pools = $facts->find(FpmPools::class)->pools ?? [];
        array_push($asked, ...array_map(
            static fn (FpmPool $pool): int => $pool->settings->integer('listen.backlog') ?? 0,
            $pools,
        ));

        return max($asked);
    }
}
