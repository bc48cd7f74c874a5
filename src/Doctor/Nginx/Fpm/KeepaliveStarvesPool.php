<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Fpm;

use Headroom\Doctor\Check;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Fpm\FpmPool;
use Headroom\Doctor\Fpm\FpmPools;
use Headroom\Doctor\Nginx\Directives\FastcgiPass;
use Headroom\Doctor\Nginx\Directives\PassTarget;
use Headroom\Doctor\Nginx\Directives\Upstream;
use Headroom\Doctor\Nginx\Edits\NginxChange;
use Headroom\Doctor\Nginx\NginxServer;
use Headroom\Doctor\Nginx\NginxServers;
use Headroom\Doctor\Nginx\Variables\VariableNames;

/**
 * @internal
 */
final readonly class KeepaliveStarvesPool implements Check
{
    /**
     * Children that must be left for those who come without a kept connection: other servers, health checks,
     * the status page.
     */
    private const RESERVE = 1;

    public function examine(Facts $facts): iterable
    {
        $servers = $facts->get(NginxServers::class);
        $kept = $this->kept($servers);
        $findings = [];

        if ($kept !== []) {
            $pools = $facts->get(FpmPools::class);

            foreach ($kept as [, , $upstream]) {
                foreach ($upstream->addresses() as $address) {
                    foreach ($pools->behind(
                        $address,
                        fn (FpmPool $pool): Finding => $this->finding($servers, $pool, $kept),
                    ) as $finding) {
                        $findings[$finding->subject] ??= $finding;
                    }
                }
            }
        }

        $unknown = $this->unknown($servers);
        $findings = [...array_values($findings), ...$unknown];

        return $kept === [] && $findings === [] ? [
            Finding::pass(
                'connections to PHP-FPM are not kept',
                new Evidence('fastcgi_keep_conn', 'off, or no upstream keeps any', 'nginx -T'),
            ),
        ] : $findings;
    }

    /** @return list<Finding> of connections that may be kept besides those */
    private function unknown(NginxServers $servers): array
    {
        $findings = [];

        foreach ($servers->known as $nginx) {
            foreach ($nginx->facts->passes() as $pass) {
                $why = $pass->whetherMoreAreKept($nginx->facts->upstreams());
                $place = $nginx->facts->place($pass->said).($servers->areSeveral() ? ", {$servers->name($nginx)}" : '');
                $findings += $why === null ? [] : [
                    $place => Finding::unknown($why->getMessage(), $why->command)->about($place),
                ];
            }
        }

        return array_values($findings);
    }

    /** @return list<array{NginxServer, FastcgiPass, Upstream}> each upstream that a place keeps connections to */
    private function kept(NginxServers $servers): array
    {
        $kept = [];

        foreach ($servers->known as $nginx) {
            foreach ($nginx->facts->passes() as $pass) {
                foreach ($pass->kept() as $upstream) {
                    $kept[] = [$nginx, $pass, $upstream];
                }
            }
        }

        return $kept;
    }

    /** @param list<array{NginxServer, FastcgiPass, Upstream}> $kept */
    private function finding(NginxServers $servers, FpmPool $pool, array $kept): Finding
    {
        $kept = $this->keptTo($pool, $kept);
        $children = $pool->integer('pm.max_children');
        $evidence = [];
        $terms = [];
        $sum = 0;

        foreach ($servers->known as $nginx) {
            $own = array_values(array_filter($kept, static fn (array $one): bool => $one[0] === $nginx));

            if ($own !== []) {
                $workers = $nginx->facts->workers() ?? throw FactUnavailable::because(
                    'worker_processes of nginx is not a number.',
                    'sudo nginx -T | grep worker_processes',
                );
                $upstreams = self::upstreams($nginx, $kept);
                $each = self::each($upstreams);
                array_push(
                    $evidence,
                    new Evidence('worker_processes', (string) $workers, $nginx->facts->workerProcesses()->source),
                    ...$this->evidence($own[0][1], $upstreams),
                );
                $terms[] = "{$workers} x {$each}";
                $sum += $workers * $each;
            }
        }

        $sums = implode(' + ', $terms)." = {$sum}";
        array_push(
            $evidence,
            $pool->evidence('pm.max_children'),
            new Evidence('sum', "{$sums}, of {$children}", 'the lines above'),
        );

        return $sum <= $children - self::RESERVE
            ? Finding::pass('idle connections leave processes free', ...$evidence)
            : Finding::fail(
                (count($terms) === 1 ? 'nginx' : count($terms).' nginx together')
                    ." may keep {$sums} connections to a pool of {$children} processes, and each holds one of them.",
                $evidence,
                'Requests wait for a free process although all of them are idle, then fail with 502 or 504.',
                $this->fix($kept),
            );
    }

    /**
     * @param list<array{NginxServer, FastcgiPass, Upstream}> $kept
     * @return list<array{NginxServer, FastcgiPass, Upstream}> those that lead to the pool
     */
    private function keptTo(FpmPool $pool, array $kept): array
    {
        return array_values(
            array_filter(
                $kept,
                static fn (array $one): bool => array_filter($one[2]->addresses(), $pool->listensAt(...)) !== [],
            ),
        );
    }

    /**
     * @param list<array{NginxServer, FastcgiPass, Upstream}> $kept
     * @return array<string, Upstream> of one nginx, by name
     */
    private static function upstreams(NginxServer $nginx, array $kept): array
    {
        $upstreams = [];

        foreach ($kept as [$one, , $upstream]) {
            if ($one === $nginx) {
                $upstreams[$upstream->name] = $upstream;
            }
        }

        return $upstreams;
    }

    /** @param array<string, Upstream> $upstreams that a worker keeps connections to */
    private static function each(array $upstreams): int
    {
        return array_sum(
            array_map(static fn (Upstream $upstream): int => $upstream->keepalive->number() ?? 0, $upstreams),
        );
    }

    /**
     * @param array<string, Upstream> $upstreams of one nginx
     * @return list<Evidence>
     */
    private function evidence(FastcgiPass $pass, array $upstreams): array
    {
        $names = array_map(static fn (PassTarget $target): string => $target->name, $pass->targets->known);
        $values = "{$pass->address}: ".implode(', ', $names);

        return [
            ...array_values(
                array_map(
                    static fn (Upstream $upstream): Evidence => new Evidence(
                        "keepalive of {$upstream->name}",
                        $upstream->keepalive->value() ?? '',
                        $upstream->keepalive->source,
                    ),
                    $upstreams,
                ),
            ),
            new Evidence('fastcgi_keep_conn', 'on', $pass->keepConn->source),
            ...(VariableNames::in($pass->address) === []
                ? []
                : [new Evidence('fastcgi_pass', $values, $pass->said->where())]),
        ];
    }

    /** @param list<array{NginxServer, FastcgiPass, Upstream}> $kept */
    private function fix(array $kept): Fix
    {
        $reloads = [];

        foreach ($kept as [$nginx]) {
            $reloads[$nginx->master->pid] = $nginx->reload();
        }

        return new Fix(
            'Do not keep connections to PHP-FPM; where it is on another machine, keep at most (max_children - 1) /'
                .' worker_processes, with a keepalive_timeout of a few seconds.',
            NginxChange::edits(...self::keepingNone($kept)),
            array_values($reloads),
            'Put the lines back and reload nginx.',
        );
    }

    /**
     * @param list<array{NginxServer, FastcgiPass, Upstream}> $kept
     * @return list<NginxChange>
     */
    private static function keepingNone(array $kept): array
    {
        $passes = [];
        $changes = [];

        foreach ($kept as [$nginx, $pass]) {
            $passes[$nginx->master->pid] = [$nginx, [...$passes[$nginx->master->pid][1] ?? [], $pass]];
        }

        foreach ($passes as [$nginx, $own]) {
            array_push($changes, ...NginxChange::keepingNone($nginx->facts, ...$own));
        }

        return $changes;
    }

    /**
     * What must go with another number of workers or processes, so that kept connections still leave a process free.
     *
     * @return list<NginxChange>
     */
    public static function changesFor(
        Facts $facts,
        ?NginxServer $changed,
        int $workers,
        ?FpmPool $lowered = null,
        int $children = 0,
    ): array {
        $servers = $facts->find(NginxServers::class);
        $pools = $facts->find(FpmPools::class);

        if ($servers === null || $pools === null) {
            return [];
        }

        $check = new self;
        $changes = [];

        foreach ($pools->pools as $pool) {
            $kept = $check->keptTo($pool, $check->kept($servers));
            $sum = 0;

            foreach ($servers->known as $nginx) {
                $count = $nginx === $changed ? $workers : $nginx->facts->workers() ?? 1;
                $sum += $count * self::each(self::upstreams($nginx, $kept));
            }

            $most = $pool === $lowered ? $children : $pool->settings->integer('pm.max_children') ?? 0;

            if ($sum > $most - self::RESERVE) {
                array_push($changes, ...self::keepingNone($kept));
            }
        }

        return array_values(array_unique($changes, SORT_REGULAR));
    }

    /** @return list<string> */
    public static function reloads(Facts $facts): array
    {
        return array_map(
            static fn (NginxServer $nginx): string => $nginx->reload(),
            $facts->find(NginxServers::class)->known ?? [],
        );
    }
}
