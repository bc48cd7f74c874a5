<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Fpm;

use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Nginx\Directives\FastcgiPass;
use Headroom\Doctor\Nginx\Directives\Upstream;
use Headroom\Doctor\Nginx\Edits\NginxChange;
use Headroom\Doctor\Nginx\NginxServer;

/**
 * One of the two settings that keep connections to PHP-FPM, without the other one: fastcgi_keep_conn asks PHP-FPM to
 * leave a connection open, and the keepalive of an upstream keeps it.
 *
 * @internal
 */
final readonly class HalfConfiguredKeepalive
{
    /**
     * @param list<FastcgiPass> $others places that may have the setting that it needs
     * @param NginxChange $removed after which it is gone
     */
    private function __construct(
        public string $name,
        public string $text,
        public FastcgiPass $pass,
        public ?Upstream $upstream,
        public NginxChange $removed,
        private array $others,
    ) {}

    /** @return list<self> */
    public static function of(NginxServer $nginx): array
    {
        $passes = $nginx->facts->passes();

        return [...self::keptByNone($nginx, $passes), ...self::askedByNone($nginx, $passes)];
    }

    /** Why a place that is only known with a request may have the setting that it needs. */
    public function unresolved(NginxServer $nginx): ?FactUnavailable
    {
        foreach ($this->others as $pass) {
            $why = $pass->whetherMoreAreKept($nginx->facts->upstreams());

            if ($why !== null) {
                return $why;
            }
        }

        return null;
    }

    /**
     * @param list<FastcgiPass> $passes
     * @return list<self>
     */
    private static function keptByNone(NginxServer $nginx, array $passes): array
    {
        $asking = [];
        $settings = [];

        foreach ($passes as $pass) {
            if ($pass->keepConn->is('on')) {
                $asking[$pass->keepConn->source][] = $pass;
            }
        }

        foreach ($asking as $alike) {
            if (array_filter($alike, static fn (FastcgiPass $one): bool => $one->kept() !== []) === []) {
                $settings[] = new self(
                    $nginx->facts->place($alike[0]->directive),
                    'fastcgi_keep_conn is on, and nothing keeps the connection.',
                    $alike[0],
                    $alike[0]->targets->upstreams()[0] ?? null,
                    $nginx->set($alike[0]->keepConn, $alike[0]->directive, 'off'),
                    $alike,
                );
            }
        }

        return $settings;
    }

    /**
     * @param list<FastcgiPass> $passes
     * @return list<self>
     */
    private static function askedByNone(NginxServer $nginx, array $passes): array
    {
        $settings = [];

        foreach ($nginx->facts->upstreams() as $upstream) {
            $directive = $upstream->keepalive->directive;
            $leading = array_values(array_filter(
                $passes,
                static fn (FastcgiPass $pass): bool => $pass->targets->has($upstream),
            ));
            $asking = array_filter($leading, static fn (FastcgiPass $pass): bool => $pass->keepConn->is('on'));

            if ($directive !== null && $upstream->keeps() === true && $leading !== [] && $asking === []) {
                $settings[] = new self(
                    "upstream {$upstream->name}",
                    "The upstream {$upstream->name} keeps connections that PHP-FPM closes.",
                    $leading[0],
                    $upstream,
                    NginxChange::without($directive),
                    $passes,
                );
            }
        }

        return $settings;
    }
}
