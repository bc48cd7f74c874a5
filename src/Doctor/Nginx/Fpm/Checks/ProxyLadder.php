<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Fpm\Checks;

use Closure;
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
final readonly class ProxyLadder implements NginxCheck
{
    public function examine(NginxServer $nginx, Facts $facts): iterable
    {
        $findings = [];

        foreach ($nginx->facts->proxies() as $proxy) {
            $place = $nginx->facts->place($proxy->said);

            foreach (self::ofProxy($nginx, $proxy, $facts) as $setting => $finding) {
                $findings["{$place} {$proxy->said->where()} {$setting}"] = $finding->about("{$place}, {$setting}");
            }
        }

        return array_values($findings);
    }

    /** @return array<string, Finding> by the setting that is too long or too short */
    private static function ofProxy(NginxServer $nginx, ProxyPass $proxy, Facts $facts): array
    {
        $worst = [];

        foreach (self::all($nginx, $proxy, $facts) as $setting => $finding) {
            $before = $worst[$setting] ?? null;

            // A problem of one server behind the proxy counts more than a pass of another.
            if ($before === null || ($finding->status->isProblem() && ! $before->status->isProblem())) {
                $worst = [$setting => $finding] + $worst;
            }
        }

        return $worst;
    }

    /** @return iterable<string, Finding> of each server that the proxy leads to */
    private static function all(NginxServer $nginx, ProxyPass $proxy, Facts $facts): iterable
    {
        $read = $proxy->readTimeout->milliseconds();

        if ($proxy->targets === [] || $read === null) {
            return yield 'proxy_read_timeout' => Finding::unknown(
                ($read === null
                    ? "proxy_read_timeout is not known: {$proxy->readTimeout->source}"
                    : "The address of proxy_pass {$proxy->address} is known only with each request")
                    ." ({$proxy->said->where()}).",
                'sudo nginx -T | grep -n proxy_',
            );
        }

        $servers = $facts->get(NginxServers::class);
        $timeout = new ProxyReadTimeout($nginx, $proxy, $read);

        foreach ($proxy->targets as $target) {
            try {
                $hops = ProxyHop::to($target, $nginx, $proxy, $servers);
            } catch (FactUnavailable $e) {
                yield 'proxy_read_timeout' => Finding::unavailable($e);

                continue;
            }

            foreach ($hops as $hop) {
                yield from self::found('proxy_read_timeout', static fn () => $timeout->againstNginx($hop, $facts));
                yield from self::found('keepalive_timeout', static fn () => ProxyKeepalive::of($hop));
            }

            if ($hops === [] && $target->isHere()) {
                yield from self::found('proxy_read_timeout', static fn () => $timeout->againstOctane($target, $facts));
            }
        }
    }

    /**
     * @param Closure(): ?Finding $examine
     * @return iterable<string, Finding>
     */
    private static function found(string $setting, Closure $examine): iterable
    {
        try {
            $finding = $examine();
        } catch (FactUnavailable $e) {
            $finding = Finding::unavailable($e);
        }

        if ($finding !== null) {
            yield $setting => $finding;
        }
    }
}
