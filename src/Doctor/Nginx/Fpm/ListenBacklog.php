<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Fpm;

use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Kernel\Sysctl;
use Headroom\Doctor\Nginx\Directives\Listen;
use Headroom\Doctor\Nginx\NginxServer;
use Headroom\Doctor\Nginx\ServerCheck;

/**
 * @internal
 */
final readonly class ListenBacklog implements ServerCheck
{
    public function examine(NginxServer $nginx, Facts $facts): iterable
    {
        $sysctl = $facts->get(Sysctl::class);
        $most = $sysctl->integer('net.core.somaxconn');
        $asked = array_map(static fn (Listen $listen): int => $listen->backlog, $nginx->facts->listens());
        $enough = max([PoolBacklog::most($facts), ...$asked]);
        $findings = [];

        foreach ($nginx->facts->listens() as $listen) {
            $evidence = [
                new Evidence(
                    "backlog of {$listen->address}",
                    (string) $listen->backlog,
                    $listen->backlogIsSaid && $listen->said !== null ? $listen->said->where() : 'default of nginx',
                ),
                new Evidence('net.core.somaxconn', (string) $most, Sysctl::path('net.core.somaxconn')),
            ];

            $findings[$listen->address] ??= ($listen->backlog <= $most
                ? Finding::pass('as many may wait as it asks for', ...$evidence)
                : Finding::warn(
                    "nginx asks for a backlog of {$listen->backlog}, and the kernel allows {$most}.",
                    $evidence,
                    'A burst of clients is turned away sooner than it should be.',
                    new Fix(
                        "Let the kernel allow {$enough}, and restart nginx: the limit is fixed when it"
                            .' begins to listen.',
                        $sysctl->edits('net.core.somaxconn', $enough),
                        ['sudo sysctl -p '.Sysctl::FILE, $nginx->restart()],
                        "Remove the line, and sudo sysctl -w net.core.somaxconn={$most}.",
                        'ss -ltn',
                    ),
                ))->about("listen {$listen->address}");
        }

        return array_values($findings);
    }
}
