<?php

declare(strict_types=1);

namespace Headroom\Doctor\Checks\Nginx;

use Headroom\Doctor\Check;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Facts\Nginx\Change;
use Headroom\Doctor\Facts\Nginx\Directive;
use Headroom\Doctor\Facts\Nginx\FastcgiPass;
use Headroom\Doctor\Facts\Nginx\NginxServer;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Layer;
use Headroom\Doctor\Rule;
use Headroom\Doctor\Severity;

/**
 * @internal
 */
final readonly class HalfAKeepalive implements Check
{
    public function rule(): Rule
    {
        return new Rule(
            'N4',
            'Half of keeping connections to PHP-FPM is configured',
            Severity::Info,
            Layer::Nginx,
            'Keeping connections takes two: fastcgi_keep_conn, which asks PHP-FPM to leave the connection open, and keepalive in the upstream, which keeps it. One without the other does nothing, and whoever adds the missing half later arms check N5 without knowing it.',
            'fastcgi_keep_conn is on where no upstream keeps connections, or an upstream of PHP-FPM keeps some and fastcgi_keep_conn is off everywhere.',
            ['https://nginx.org/en/docs/http/ngx_http_upstream_module.html#keepalive', 'https://nginx.org/en/docs/http/ngx_http_fastcgi_module.html#fastcgi_keep_conn'],
            2,
        );
    }

    public function examine(Facts $facts): array
    {
        $nginx = $facts->get(NginxServer::class);
        $findings = [];
        $upstreams = [];

        foreach ($nginx->facts->passes() as $pass) {
            $keeps = ($pass->upstream?->keepalive->number() ?? 0) > 0;

            if ($pass->keepConn->is('on') && ! $keeps) {
                $findings["conn {$pass->keepConn->source}"] = $this->finding($nginx, 'fastcgi_keep_conn is on, and nothing keeps the connection.', $pass->keepConn->said, 'fastcgi_keep_conn off', $pass);
            }

            if ($pass->upstream !== null && $keeps) {
                $upstreams[$pass->upstream->name][] = $pass;
            }
        }

        foreach ($upstreams as $name => $passes) {
            $said = $passes[0]->upstream?->keepalive->said;

            if ($said !== null && array_filter($passes, static fn (FastcgiPass $pass): bool => $pass->keepConn->is('on')) === []) {
                $findings["upstream {$name}"] = $this->finding($nginx, "The upstream {$name} keeps connections that PHP-FPM closes.", $said, null, $passes[0]);
            }
        }

        return $findings === [] ? [Finding::pass('all of it is configured, or nothing')] : array_values($findings);
    }

    /** @param ?string $text what the line becomes; null: it is taken out */
    private function finding(NginxServer $nginx, string $message, ?Directive $said, ?string $text, FastcgiPass $pass): Finding
    {
        $edit = $said === null ? null : ($text === null ? Change::without($said) : Change::to($said, $text));

        return Finding::warn(
            $message,
            [
                new Evidence('fastcgi_keep_conn', $pass->keepConn->value() ?? 'not known', $pass->keepConn->source),
                new Evidence('keepalive', $pass->upstream?->keepalive->value() ?? 'no upstream', $pass->upstream->keepalive->source ?? $pass->said->where()),
            ],
            'It does nothing now. The other half would let idle connections hold processes of PHP-FPM.',
            new Fix('Take the half away that is there.', $edit === null ? [] : [$edit], [$nginx->reload()], 'Put the line back and reload nginx.', 'headroom doctor --only=N4'),
        )->about($text === null ? "upstream {$pass->address}" : $nginx->facts->place($pass->said));
    }
}
