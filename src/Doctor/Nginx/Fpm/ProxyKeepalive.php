<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Fpm;

use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Finding;

/**
 * Compares how long a proxy keeps idle connections with how long the nginx behind it does.
 *
 * @internal
 */
final readonly class ProxyKeepalive
{
    /** Seconds that the proxy closes them earlier. */
    private const EARLIER = 5;

    /**
     * @return ?Finding null if the proxy keeps no connections
     *
     * @throws FactUnavailable
     */
    public static function of(ProxyHop $hop): ?Finding
    {
        $upstream = $hop->proxy->upstream;

        if ($upstream === null || ($upstream->keepalive->number() ?? 0) === 0) {
            return null;
        }

        $outer = $upstream->keepaliveTimeout;
        $inner = $hop->inner->facts->setting('keepalive_timeout', $hop->server);
        $keeps = $outer->milliseconds();
        $closes = $inner->milliseconds();

        if ($keeps === null || $closes === null) {
            throw FactUnavailable::because(
                "How long {$hop->outer->facts->place($hop->proxy->directive)} keeps connections to"
                    ." {$hop->proxy->address} is not known: {$outer->source}.",
                'sudo nginx -T | grep -n keepalive',
            );
        }

        $evidence = [$hop->outer->evidence($outer, " of upstream {$upstream->name}"), $hop->inner->evidence($inner)];
        $better = max(1, intdiv($closes, 1000) - self::EARLIER).'s';

        // With 0 each response tells the proxy that the connection ends.
        return $closes === 0 || $keeps < $closes
            ? Finding::pass('the proxy closes idle connections first', ...$evidence)
            : Finding::warn(
                'The proxy keeps idle connections for '.$keeps / 1000
                    .' seconds, and nginx behind it closes them after '
                    .$closes / 1000 .'.',
                $evidence,
                $hop->outer->fix(
                    [$hop->outer->set($outer, $upstream->servers[0] ?? $upstream->directive, $better)],
                    "Let the proxy close them first: keepalive_timeout {$better}; in upstream {$upstream->name}.",
                ),
                'Now and then a request is sent on a connection that is being closed, and ends with 502.',
            );
    }
}
