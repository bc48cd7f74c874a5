<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Checks;

use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Nginx\Directives\FastcgiPass;
use Headroom\Doctor\Nginx\Directives\Upstream;
use Headroom\Doctor\Nginx\Edits\NginxChange;
use Headroom\Doctor\Nginx\NginxServer;
use Headroom\Doctor\Nginx\ServerCheck;

/**
 * @internal
 */
final readonly class KeepaliveByDefault implements ServerCheck
{
    public function examine(NginxServer $nginx, Facts $facts): iterable
    {
        $armed = [];
        $unsure = null;
        $unsaid = array_values(
            array_filter(
                $nginx->facts->upstreams(),
                static fn (Upstream $upstream): bool => $upstream->keepalive->said === null,
            ),
        );

        foreach ($nginx->facts->passes() as $pass) {
            foreach ($pass->keepConn->is('on') ? $pass->targets->upstreams() : [] as $upstream) {
                if ($upstream->keepalive->said === null && $upstream->keeps() === true) {
                    $armed[$upstream->name][] = [$pass, $upstream];
                } elseif (! $upstream->keepalive->isKnown()) {
                    throw FactUnavailable::because(
                        "Whether the upstream {$upstream->name} keeps connections depends on the version of "
                            .'nginx, which is '
                            .'not known.',
                        'nginx -v',
                    );
                }
            }

            $unsure ??= $pass->whetherMoreAreKept($unsaid);
        }

        $findings = array_map(
            fn (array $pairs): Finding => $this->finding($nginx, array_column($pairs, 0), $pairs[0][1]),
            array_values($armed),
        );

        return match (true) {
            $unsure !== null => [...$findings, Finding::unavailable($unsure)],
            $findings === [] => [Finding::pass('each kept connection was asked for')],
            default => $findings,
        };
    }

    /** @param non-empty-list<FastcgiPass> $passes that lead to one upstream */
    private function finding(NginxServer $nginx, array $passes, Upstream $upstream): Finding
    {
        $keepConn = [];

        foreach ($passes as $one) {
            $keepConn[$one->keepConn->source] = new Evidence('fastcgi_keep_conn', 'on', $one->keepConn->source);
        }

        return Finding::warn(
            "The upstream {$upstream->name} says nothing of keepalive, and each worker keeps "
                ."{$upstream->keepalive->value()} connections to it.",
            [
                ...array_values($keepConn),
                new Evidence(
                    "keepalive of {$upstream->name}",
                    $upstream->keepalive->value() ?? '',
                    $upstream->keepalive->source,
                ),
            ],
            'Idle connections hold processes of PHP-FPM that nobody has reckoned with.',
            new Fix(
                'Do not keep connections to PHP-FPM.',
                NginxChange::toKeepNone($nginx->facts, ...$passes),
                [$nginx->reload()],
                'Put the lines back and reload nginx.',
            ),
        )->about("upstream {$upstream->name}");
    }
}
