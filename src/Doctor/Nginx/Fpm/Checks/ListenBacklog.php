<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Fpm\Checks;

use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Kernel\Sysctl;
use Headroom\Doctor\Nginx\Directives\Listen;
use Headroom\Doctor\Nginx\Fpm\Backlogs;
use Headroom\Doctor\Nginx\NginxCheck;
use Headroom\Doctor\Nginx\NginxServer;

/**
 * @internal
 */
final readonly class ListenBacklog implements NginxCheck
{
    private const LIMIT = 'net.core.somaxconn';

    public function examine(NginxServer $nginx, Facts $facts): iterable
    {
        $findings = [];

        foreach ($nginx->facts->listens() as $listen) {
            $findings[$listen->address] ??= self::ofListen($nginx, $listen, $facts)->about("listen {$listen->address}");
        }

        return array_values($findings);
    }

    private static function ofListen(NginxServer $nginx, Listen $listen, Facts $facts): Finding
    {
        $sysctl = $facts->get(Sysctl::class);
        $most = $sysctl->integer(self::LIMIT);
        $evidence = [
            new Evidence(
                "backlog of {$listen->address}",
                (string) $listen->backlog,
                $listen->backlogIsSet && $listen->directive !== null ? $listen->directive->where() : 'default of nginx',
            ),
            $sysctl->evidence(self::LIMIT),
        ];

        return $listen->backlog <= $most ? Finding::pass('the backlog is as configured', ...$evidence) : Finding::warn(
            "nginx asks for a backlog of {$listen->backlog}, and the kernel allows {$most}.",
            $evidence,
            new Fix(
                changes: $sysctl->edits(self::LIMIT, Backlogs::largest($facts)),
                commands: [$nginx->restart()],
                rollback: Sysctl::restored([self::LIMIT => $most]),
                verify: 'ss -ltn',
            ),
        );
    }
}
