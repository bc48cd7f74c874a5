<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Fpm;

use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Fpm\FpmPool;
use Headroom\Doctor\Fpm\FpmPools;
use Headroom\Doctor\Nginx\Directives\FastcgiPass;
use Headroom\Doctor\Nginx\Directives\Upstream;
use Headroom\Doctor\Nginx\Edits\NginxChange;
use Headroom\Doctor\Nginx\NginxServer;
use Headroom\Doctor\Nginx\ServerCheck;

/**
 * @internal
 */
final readonly class KeepaliveOutlivesChild implements ServerCheck
{
    public function examine(NginxServer $nginx, Facts $facts): iterable
    {
        $kept = array_values(
            array_filter($nginx->facts->passes(), static fn (FastcgiPass $pass): bool => $pass->kept() !== []),
        );
        $unknown = $this->unknown($nginx);

        if ($kept === [] && $unknown === []) {
            return [Finding::skipped('connections to PHP-FPM are not kept')];
        }

        $findings = [];
        $pools = $facts->get(FpmPools::class);

        foreach ($kept as $pass) {
            foreach (self::addresses($pass) as $address) {
                foreach ($pools->behind(
                    $address,
                    fn (FpmPool $pool): Finding => $this->finding($nginx, $pool, $kept),
                ) as $finding) {
                    $findings[$finding->subject] ??= $finding;
                }
            }
        }

        return [...array_values($findings), ...$unknown];
    }

    /** @return list<Finding> */
    private function unknown(NginxServer $nginx): array
    {
        $findings = [];

        foreach ($nginx->facts->passes() as $pass) {
            $why = $pass->whetherMoreAreKept($nginx->facts->upstreams());
            $place = $nginx->facts->place($pass->said);
            $findings += $why === null ? [] : [
                $place => Finding::unknown($why->getMessage(), $why->command)->about($place),
            ];
        }

        return array_values($findings);
    }

    /** @return list<string> of the upstreams that it keeps connections to */
    private static function addresses(FastcgiPass $pass): array
    {
        return array_merge(
            ...array_map(static fn (Upstream $upstream): array => $upstream->addresses(), $pass->kept()),
        );
    }

    /** @param list<FastcgiPass> $kept */
    private function finding(NginxServer $nginx, FpmPool $pool, array $kept): Finding
    {
        $kept = array_values(
            array_filter(
                $kept,
                static fn (FastcgiPass $pass): bool => array_filter(
                    self::addresses($pass),
                    $pool->listensAt(...),
                ) !== [],
            ),
        );
        $most = $pool->integer('pm.max_requests');
        $requests = [];

        foreach ($kept as $pass) {
            foreach ($pass->kept() as $upstream) {
                $requests[$upstream->name] = new Evidence(
                    "keepalive_requests of {$upstream->name}",
                    $upstream->keepaliveRequests->value() ?? 'not known',
                    $upstream->keepaliveRequests->source,
                );
            }
        }

        $evidence = [...array_values($requests), $pool->evidence('pm.max_requests')];

        if ($most === 0) {
            return Finding::pass('processes do not end', ...$evidence);
        }

        return Finding::fail(
            "nginx keeps connections to processes that end after {$most} requests, whichever connection these came by.",
            $evidence,
            'A request fails now and then with 502, a POST for good.',
            new Fix(
                'Do not keep connections to PHP-FPM. Where it is on another machine and they are worth it,'
                    .' set pm.max_requests = 0 and watch the memory of processes.',
                NginxChange::toKeepNone($nginx->facts, ...$kept),
                [$nginx->reload()],
                'Put the lines back and reload nginx.',
            ),
        );
    }
}
