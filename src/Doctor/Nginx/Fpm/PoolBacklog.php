<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Fpm;

use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Fpm\Config\PoolEdit;
use Headroom\Doctor\Fpm\FpmPool;
use Headroom\Doctor\Fpm\FpmPools;
use Headroom\Doctor\Fpm\PoolCheck;
use Headroom\Doctor\Kernel\Sysctl;
use Headroom\Doctor\Nginx\Directives\Listen;
use Headroom\Doctor\Nginx\NginxServers;

/**
 * @internal
 */
final readonly class PoolBacklog implements PoolCheck
{
    public function examine(FpmPool $pool, Facts $facts): Finding
    {
        $sysctl = $facts->get(Sysctl::class);
        $most = $sysctl->integer('net.core.somaxconn');
        $enough = self::most($facts);
        $somaxconn = new Evidence('net.core.somaxconn', (string) $most, Sysctl::path('net.core.somaxconn'));

        $asked = $pool->integer('listen.backlog');
        // -1 asks for as many as there can be.
        $asked = $asked < 0 ? $most : $asked;
        $evidence = [$pool->evidence('listen.backlog'), $somaxconn];

        if ($asked <= $most && $asked >= 128) {
            return Finding::pass('as many may wait as it says', ...$evidence);
        }

        if ($asked > $most) {
            return Finding::warn(
                "listen.backlog asks for {$asked}, and the kernel allows {$most}.",
                $evidence,
                'A burst is turned away sooner than the configuration says.',
                new Fix(
                    "Let the kernel allow {$enough}, and restart PHP-FPM: the limit is fixed when it"
                        .' begins to listen.',
                    $sysctl->edits('net.core.somaxconn', $enough),
                    ['sudo sysctl -p '.Sysctl::FILE, $pool->restart()],
                    'Remove the line, and set the value of before with sysctl -w net.core.somaxconn='.$most.'.',
                ),
            );
        }

        $edit = PoolEdit::to($pool->settings, 'listen.backlog', '511');

        return Finding::warn(
            "Only {$asked} connections may wait.",
            $evidence,
            'A burst of more than that fails with 502, although the pool would have had time for it.',
            new Fix(
                'Let 511 wait, the default, and restart PHP-FPM: it keeps its socket when it is reloaded.',
                [$edit],
                [$pool->restart()],
                'Put the line back and restart PHP-FPM.',
            ),
        );
    }

    /** What nginx and all pools ask for: the kernel has one limit for all of them. */
    public static function most(Facts $facts): int
    {
        $asked = [];

        foreach ($facts->find(NginxServers::class)->known ?? [] as $nginx) {
            array_push(
                $asked,
                ...array_map(static fn (Listen $listen): int => $listen->backlog, $nginx->facts->listens()),
            );
        }

        foreach ($facts->find(FpmPools::class)->pools ?? [] as $pool) {
            $asked[] = $pool->settings->integer('listen.backlog') ?? 0;
        }

        return max([0, ...$asked]);
    }
}
