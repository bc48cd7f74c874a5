<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Checks;

use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Finding;
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
        $findings = [...self::keptByNone($nginx, $passes), ...self::askedByNone($nginx, $passes)];

        return $findings === [] ? [Finding::pass('both halves are configured, or neither')] : $findings;
    }

    /**
     * @param list<FastcgiPass> $passes
     * @return iterable<Finding> of each fastcgi_keep_conn without an upstream that keeps connections
     */
    private static function keptByNone(NginxServer $nginx, array $passes): iterable
    {
        $asking = [];

        foreach ($passes as $pass) {
            if ($pass->keepConn->is('on')) {
                $asking[$pass->keepConn->source][] = $pass;
            }
        }

        foreach ($asking as $alike) {
            $pass = $alike[0];

            if (array_filter($alike, static fn (FastcgiPass $one): bool => $one->kept() !== []) === []) {
                yield Finding::from(static fn (): Finding => self::half(
                    $nginx,
                    $alike,
                    'fastcgi_keep_conn is on, and nothing keeps the connection.',
                    $pass,
                    $pass->targets->upstreams()[0] ?? null,
                    $nginx->set($pass->keepConn, $pass->said, 'off'),
                ))->about($nginx->facts->place($pass->said));
            }
        }
    }

    /**
     * @param list<FastcgiPass> $passes
     * @return iterable<Finding> of each upstream that keeps connections although PHP-FPM closes them
     */
    private static function askedByNone(NginxServer $nginx, array $passes): iterable
    {
        foreach ($nginx->facts->upstreams() as $upstream) {
            $said = $upstream->keepalive->said;
            $leading = array_values(array_filter(
                $passes,
                static fn (FastcgiPass $pass): bool => $pass->targets->has($upstream),
            ));
            $asking = array_filter($leading, static fn (FastcgiPass $pass): bool => $pass->keepConn->is('on'));

            if ($said !== null && $upstream->keeps() === true && $leading !== [] && $asking === []) {
                yield Finding::from(static fn (): Finding => self::half(
                    $nginx,
                    $passes,
                    "The upstream {$upstream->name} keeps connections that PHP-FPM closes.",
                    $leading[0],
                    $upstream,
                    NginxChange::without($said),
                ))->about("upstream {$upstream->name}");
            }
        }
    }

    /**
     * @param list<FastcgiPass> $passes that may have the other half
     *
     * @throws FactUnavailable
     */
    private static function half(
        NginxServer $nginx,
        array $passes,
        string $message,
        FastcgiPass $pass,
        ?Upstream $upstream,
        NginxChange $change,
    ): Finding {
        foreach ($passes as $one) {
            $why = $one->whetherMoreAreKept($nginx->facts->upstreams());

            if ($why !== null) {
                throw $why;
            }
        }

        return Finding::warn(
            $message,
            [
                $nginx->evidence($pass->keepConn),
                $upstream === null
                    ? new Evidence('keepalive', 'no upstream', $pass->said->where())
                    : $nginx->evidence($upstream->keepalive),
            ],
            'It has no effect now. The other half would let idle connections hold processes of PHP-FPM.',
            $nginx->fix('Remove the half that is set.', $change),
        );
    }
}
