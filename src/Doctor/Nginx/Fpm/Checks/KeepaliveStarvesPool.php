<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Fpm\Checks;

use Headroom\Doctor\Check;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fpm\FpmPool;
use Headroom\Doctor\Fpm\FpmPools;
use Headroom\Doctor\Nginx\Fpm\IdleConnections;
use Headroom\Doctor\Nginx\NginxServers;

/**
 * @internal
 */
final readonly class KeepaliveStarvesPool implements Check
{
    public function examine(Facts $facts): iterable
    {
        $servers = $facts->get(NginxServers::class);
        $kept = IdleConnections::of(...$servers->known);
        $findings = $kept->isEmpty() ? [] : $kept->ofEachPool($facts->get(FpmPools::class), self::ofPool(...));

        foreach ($servers->known as $nginx) {
            foreach (IdleConnections::unresolved($nginx) as $place => $why) {
                $findings[] = Finding::unavailable($why)
                    ->about($place.($servers->areSeveral() ? ", {$servers->name($nginx)}" : ''));
            }
        }

        return $kept->isEmpty() && $findings === [] ? [Finding::pass(
            'connections to PHP-FPM are not kept',
            new Evidence('fastcgi_keep_conn', 'off, or no upstream keeps any', 'nginx -T'),
        )] : $findings;
    }

    private static function ofPool(FpmPool $pool, IdleConnections $kept): Finding
    {
        $children = $pool->integer('pm.max_children');
        $count = count($kept->servers());
        $sum = implode(' + ', $kept->terms())." = {$kept->sum()}";
        $evidence = [
            ...$kept->evidence(),
            $pool->evidence('pm.max_children'),
            new Evidence('sum', "{$sum}, of {$children}", 'the lines above'),
        ];

        return $kept->leaveFree($children)
            ? Finding::pass('idle connections leave processes free', ...$evidence)
            : Finding::fail(
                ($count === 1 ? 'nginx' : "{$count} nginx together")
                    ." may keep {$sum} connections to a pool of {$children} processes, and each holds a process.",
                $evidence,
                $kept->fix(),
            );
    }
}
