<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Fpm;

use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Nginx\Config\Directive;
use Headroom\Doctor\Nginx\Directives\ListenAddress;
use Headroom\Doctor\Nginx\Directives\ProxyPass;
use Headroom\Doctor\Nginx\NginxServer;
use Headroom\Doctor\Nginx\NginxServers;

/**
 * A proxy_pass of one nginx, and a server of an nginx here that it leads to.
 *
 * @internal
 */
final readonly class ProxyHop
{
    private function __construct(
        public NginxServer $outer,
        public ProxyPass $proxy,
        public NginxServer $inner,
        public Directive $server,
    ) {}

    /**
     * @return list<self> none if no nginx of this machine listens there
     *
     * @throws FactUnavailable
     */
    public static function to(ListenAddress $target, NginxServer $outer, ProxyPass $proxy, NginxServers $servers): array
    {
        $hops = [];

        foreach ($servers->known as $inner) {
            foreach ($inner->facts->serversAt($target) as $server) {
                $hops[] = new self($outer, $proxy, $inner, $server);
            }
        }

        foreach ($hops === [] && $target->isHere() ? $servers->unknown : [] as $why) {
            throw FactUnavailable::because(
                "It is not known whether an nginx that cannot be read listens at {$target->text()}: "
                    .$why->getMessage(),
                $why->command,
            );
        }

        return $hops;
    }
}
