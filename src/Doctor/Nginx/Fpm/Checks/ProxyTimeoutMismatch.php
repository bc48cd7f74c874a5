<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Fpm\Checks;

use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Nginx\Directives\ProxyPass;
use Headroom\Doctor\Nginx\Fpm\ProxyHop;
use Headroom\Doctor\Nginx\Fpm\ProxyKeepalive;
use Headroom\Doctor\Nginx\Fpm\ProxyReadTimeout;
use Headroom\Doctor\Nginx\NginxCheck;
use Headroom\Doctor\Nginx\NginxServer;
use Headroom\Doctor\Nginx\NginxServers;

/**
 * @internal
 */
final readonly class ProxyTimeoutMismatch implements NginxCheck
{
    public function examine(NginxServer $nginx, Facts $facts): iterable
    {
        $findings = [];

        foreach ($nginx->facts->proxies() as $proxy) {
            $place = $nginx->facts->place($proxy->directive);

            foreach (self::ofProxy($nginx, $proxy, $facts) as $setting => $finding) {
                $key = "{$place} {$proxy->directive->where()} {$setting}";

                $before = $findings[$key] ?? null;
                // A problem of one server behind the proxy counts more than a pass of another.
                $isWorse = $before === null
                    || ($finding?->status->isProblem() === true && ! $before->status->isProblem());

                if ($finding !== null && $isWorse) {
                    $findings[$key] = $finding->about("{$place}, {$setting}");
                }
            }
        }

        return array_values($findings);
    }

    /** @return iterable<string, ?Finding> of each server that the proxy leads to, by the setting */
    private static function ofProxy(NginxServer $nginx, ProxyPass $proxy, Facts $facts): iterable
    {
        $unresolved = $proxy->unresolved();

        if ($unresolved !== null) {
            return yield 'proxy_read_timeout' => Finding::unavailable($unresolved);
        }

        $servers = $facts->get(NginxServers::class);
        $timeout = new ProxyReadTimeout($nginx, $proxy, $proxy->readTimeout->knownMilliseconds());

        foreach ($proxy->targets as $target) {
            try {
                $hops = ProxyHop::to($target, $nginx, $proxy, $servers);
            } catch (FactUnavailable $e) {
                yield 'proxy_read_timeout' => Finding::unavailable($e);

                continue;
            }

            foreach ($hops as $hop) {
                yield 'proxy_read_timeout' => Finding::from(static fn (): ?Finding => $timeout->againstNginx(
                    $hop,
                    $facts,
                ));
                yield 'keepalive_timeout' => Finding::from(static fn (): ?Finding => ProxyKeepalive::of($hop));
            }

            if ($hops === [] && $target->isHere()) {
                yield 'proxy_read_timeout' => Finding::from(
                    static fn (): ?Finding => $timeout->againstOctane($target, $facts),
                );
            }
        }
    }
}
