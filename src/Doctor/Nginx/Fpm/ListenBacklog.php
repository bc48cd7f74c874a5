<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Fpm;

use Headroom\Doctor\Check;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Kernel\Sysctl;
use Headroom\Doctor\Layer;
use Headroom\Doctor\Nginx\Directives\Listen;
use Headroom\Doctor\Nginx\NginxServer;
use Headroom\Doctor\Rule;
use Headroom\Doctor\Severity;

/**
 * @internal
 */
final readonly class ListenBacklog implements Check
{
    public function rule(): Rule
    {
        return new Rule(
            'N15',
            'The backlog of nginx is cut by the kernel',
            Severity::Medium,
            Layer::Nginx,
            'Connections that no worker of nginx has taken yet wait in the backlog of its port, 511 by default.'
                .' The kernel silently cuts what is asked for to net.core.somaxconn. When it is full, clients wait for'
                .' 1, 3 and 7 seconds to be let in.',
            'The backlog that a listen asks for, or the default of 511, is above net.core.somaxconn.',
            [
                'https://nginx.org/en/docs/http/ngx_http_core_module.html#listen',
                'https://man7.org/linux/man-pages/man2/listen.2.html',
            ],
        );
    }

    public function examine(Facts $facts): array
    {
        $nginx = $facts->get(NginxServer::class);
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
