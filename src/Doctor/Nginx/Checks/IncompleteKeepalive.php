<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Checks;

use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Nginx\Config\Directive;
use Headroom\Doctor\Nginx\Directives\FastcgiPass;
use Headroom\Doctor\Nginx\Directives\Upstream;
use Headroom\Doctor\Nginx\Edits\NginxChange;
use Headroom\Doctor\Nginx\NginxServer;
use Headroom\Doctor\Nginx\ServerCheck;

/**
 * @internal
 */
final readonly class IncompleteKeepalive implements ServerCheck
{
    public function examine(NginxServer $nginx, Facts $facts): iterable
    {
        $passes = $nginx->facts->passes();
        $findings = [...$this->nothingKeeps($nginx, $passes), ...$this->nothingAsks($nginx, $passes)];

        return $findings === [] ? [Finding::pass('all of it is configured, or nothing')] : $findings;
    }

    /**
     * @param list<FastcgiPass> $passes
     * @return list<Finding>
     */
    private function nothingKeeps(NginxServer $nginx, array $passes): array
    {
        $asking = [];
        $findings = [];

        foreach ($passes as $pass) {
            if ($pass->keepConn->is('on')) {
                $asking[$pass->keepConn->source][] = $pass;
            }
        }

        foreach ($asking as $alike) {
            $pass = $alike[0];
            $unsure = $this->whetherKept($nginx, $alike);

            if (array_filter($alike, static fn (FastcgiPass $pass): bool => $pass->kept() !== []) !== []) {
                continue;
            }

            $unknown = $unsure === null ? null : Finding::unavailable($unsure);
            $findings[] = ($unknown ?? $this->finding(
                $nginx,
                'fastcgi_keep_conn is on, and nothing keeps the connection.',
                $pass->keepConn->said,
                'fastcgi_keep_conn off',
                $pass,
                $pass->targets->upstreams()[0] ?? null,
            ))->about($nginx->facts->place($pass->said));
        }

        return $findings;
    }

    /**
     * @param list<FastcgiPass> $passes
     * @return list<Finding>
     */
    private function nothingAsks(NginxServer $nginx, array $passes): array
    {
        $unsure = $this->whetherKept($nginx, $passes);
        $findings = [];

        foreach ($nginx->facts->upstreams() as $upstream) {
            $leading = array_values(
                array_filter($passes, static fn (FastcgiPass $pass): bool => $pass->targets->has($upstream)),
            );
            $isAsked = array_filter($leading, static fn (FastcgiPass $pass): bool => $pass->keepConn->is('on')) !== [];

            if ($leading === [] || $isAsked || $upstream->keepalive->said === null || $upstream->keeps() !== true) {
                continue;
            }

            $unknown = $unsure === null ? null : Finding::unavailable($unsure);
            $findings[] = ($unknown ?? $this->finding(
                $nginx,
                "The upstream {$upstream->name} keeps connections that PHP-FPM closes.",
                $upstream->keepalive->said,
                null,
                $leading[0],
                $upstream,
            ))->about("upstream {$upstream->name}");
        }

        return $findings;
    }

    /** @param list<FastcgiPass> $passes */
    private function whetherKept(NginxServer $nginx, array $passes): ?FactUnavailable
    {
        foreach ($passes as $pass) {
            $unsure = $pass->whetherMoreAreKept($nginx->facts->upstreams());

            if ($unsure !== null) {
                return $unsure;
            }
        }

        return null;
    }

    /** @param ?string $text what the line becomes; null: it is taken out */
    private function finding(
        NginxServer $nginx,
        string $message,
        ?Directive $said,
        ?string $text,
        FastcgiPass $pass,
        ?Upstream $upstream,
    ): Finding {
        $changes = $said === null ? [] : [$text === null ? NginxChange::without($said) : NginxChange::to($said, $text)];

        return Finding::warn(
            $message,
            [
                new Evidence('fastcgi_keep_conn', $pass->keepConn->value() ?? 'not known', $pass->keepConn->source),
                new Evidence(
                    'keepalive',
                    $upstream?->keepalive->value() ?? 'no upstream',
                    $upstream->keepalive->source ?? $pass->said->where(),
                ),
            ],
            'It does nothing now. The other half would let idle connections hold processes of PHP-FPM.',
            new Fix(
                'Take the half away that is there.',
                NginxChange::edits(...$changes),
                [$nginx->reload()],
                'Put the line back and reload nginx.',
            ),
        );
    }
}
