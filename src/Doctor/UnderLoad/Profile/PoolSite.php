<?php

declare(strict_types=1);

namespace Headroom\Doctor\UnderLoad\Profile;

use Headroom\Doctor\Fpm\FpmPool;
use Headroom\Doctor\Nginx\Config\Directive;
use Headroom\Doctor\Nginx\Directives\Listen;
use Headroom\Doctor\Nginx\NginxServers;

/**
 * The address at which nginx accepts plain HTTP requests for a pool.
 *
 * @internal
 */
final readonly class PoolSite
{
    private const UNKNOWN = 'http://127.0.0.1';

    private const ANY = ['*', '0.0.0.0', '[::]'];

    private const HTTP = '80';

    /** @return string scheme, host and port; those of HTTP on this machine where nginx does not tell */
    public static function of(?NginxServers $nginx, FpmPool $pool): string
    {
        foreach ($nginx->known ?? [] as $server) {
            foreach ($server->facts->passes() as $pass) {
                $isItsOwn = array_filter($pass->targets->addresses(), $pool->listensAt(...)) !== [];
                $origin = $isItsOwn ? self::origin($pass->directive) : null;

                if ($origin !== null) {
                    return $origin;
                }
            }
        }

        return self::UNKNOWN;
    }

    private static function origin(Directive $pass): ?string
    {
        $server = array_filter(array_reverse($pass->path()), static fn (Directive $at): bool => $at->name === 'server');

        foreach ($server as $block) {
            foreach ($block->block?->named('listen') ?? [] as $directive) {
                $listen = Listen::fromDirective($directive);

                if (! $listen->ssl && ! str_starts_with($listen->address, 'unix:')) {
                    return self::url($listen->address);
                }
            }
        }

        return null;
    }

    private static function url(string $address): string
    {
        $colon = (int) strrpos($address, ':');
        [$host, $port] = [substr($address, 0, $colon), substr($address, $colon + 1)];
        $host = in_array($host, self::ANY, true) ? '127.0.0.1' : $host;

        return "http://{$host}".($port === self::HTTP ? '' : ":{$port}");
    }
}
