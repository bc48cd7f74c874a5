<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Checks;

use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Nginx\Directives\Upstream;
use Headroom\Doctor\Nginx\Fpm\IdleConnections;
use Headroom\Doctor\Nginx\NginxCheck;
use Headroom\Doctor\Nginx\NginxServer;

/**
 * @internal
 */
final readonly class KeepaliveByDefault implements NginxCheck
{
    public function examine(NginxServer $nginx, Facts $facts): iterable
    {
        $findings = [];
        $unsure = null;
        $unset = array_values(array_filter(
            $nginx->facts->upstreams(),
            static fn (Upstream $upstream): bool => $upstream->keepalive->directive === null,
        ));

        foreach ($unset as $upstream) {
            $kept = IdleConnections::of($nginx)->toUpstream($upstream->name);
            $findings = $kept->isEmpty() ? $findings : [...$findings, self::ofUpstream($nginx, $upstream, $kept)];
        }

        foreach ($nginx->facts->passes() as $pass) {
            $unsure ??= $pass->whetherMoreAreKept($unset);
        }

        return match (true) {
            $unsure !== null => [...$findings, Finding::unavailable($unsure)],
            $findings === [] => [Finding::pass('no connection is kept by default')],
            default => $findings,
        };
    }

    private static function ofUpstream(NginxServer $nginx, Upstream $upstream, IdleConnections $kept): Finding
    {
        return Finding::warn(
            "The upstream {$upstream->name} does not set keepalive, and each worker keeps "
                ."{$upstream->keepalive->value()} connections to it.",
            [...$kept->askedIn($nginx), $nginx->evidence($upstream->keepalive, " of {$upstream->name}")],
            $nginx->fix($kept->removed()),
        )->about("upstream {$upstream->name}");
    }
}
