<?php

declare(strict_types=1);

namespace Headroom\Doctor\Checks\Nginx;

use Headroom\Doctor\AbsentFact;
use Headroom\Doctor\Check;
use Headroom\Doctor\Edit;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Facts\Fpm\FpmPool;
use Headroom\Doctor\Facts\Fpm\FpmPools;
use Headroom\Doctor\Facts\Nginx\Change;
use Headroom\Doctor\Facts\Nginx\FastcgiPass;
use Headroom\Doctor\Facts\Nginx\NginxServer;
use Headroom\Doctor\Facts\Nginx\NginxServers;
use Headroom\Doctor\Facts\Nginx\Upstream;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Layer;
use Headroom\Doctor\Rule;
use Headroom\Doctor\Severity;
use Headroom\Doctor\UnknownFact;

/**
 * @internal
 */
final readonly class KeepaliveStarvesPool implements Check
{
    /** Children that must be left for those who come without a kept connection: other servers, health checks, the status page. */
    private const RESERVE = 1;

    public function rule(): Rule
    {
        return new Rule(
            'N5',
            'Idle connections of nginx hold the processes of PHP-FPM',
            Severity::Critical,
            Layer::Nginx,
            'A process of PHP-FPM speaks to one connection at a time. On one that nginx keeps it waits for the next request, and takes no other: it is counted as active, "Reading headers", and does nothing. Each worker of nginx keeps as many as `keepalive` says. When all of them together are as many as the pool has processes, every other request waits in the backlog, for up to 60 seconds, while the CPUs are idle. On one machine keeping connections saves nothing that could be measured.',
            'fastcgi_keep_conn is on, and worker_processes times the keepalive of all upstreams of a pool, added up over every nginx of the machine, is more than its pm.max_children less one.',
            ['https://nginx.org/en/docs/http/ngx_http_upstream_module.html#keepalive', 'https://nginx.org/en/docs/http/ngx_http_fastcgi_module.html#fastcgi_keep_conn'],
            5,
        );
    }

    public function examine(Facts $facts): array
    {
        $servers = $facts->get(NginxServers::class);
        $kept = $servers->known === [] ? throw array_values($servers->unknown)[0] : $this->kept($servers);
        $findings = [];

        if ($kept !== []) {
            $pools = $facts->get(FpmPools::class);

            foreach ($kept as [, $pass]) {
                foreach ($pass->upstream?->addresses() ?? [] as $address) {
                    $pool = $pools->listeningAt($address);

                    if ($pool !== null) {
                        $subject = $pools->subject($pool);
                        $findings[$subject] ??= $this->finding($servers, $pool, $kept)->about($subject);
                    }
                }
            }
        }

        foreach ($servers->unknown as $pid => $why) {
            $findings[$pid] = Finding::unknown($why->getMessage(), $why->command)->about("nginx with pid {$pid}");
        }

        return $kept === [] && $findings === [] ? [Finding::pass('connections to PHP-FPM are not kept', new Evidence('fastcgi_keep_conn', 'off, or no upstream keeps any', 'nginx -T'))] : array_values($findings);
    }

    /** @return list<array{NginxServer, FastcgiPass}> */
    private function kept(NginxServers $servers): array
    {
        $kept = [];

        foreach ($servers->known as $nginx) {
            foreach ($nginx->facts->passes() as $pass) {
                if ($pass->keepsConnections()) {
                    $kept[] = [$nginx, $pass];
                }
            }
        }

        return $kept;
    }

    /** @param list<array{NginxServer, FastcgiPass}> $kept */
    private function finding(NginxServers $servers, FpmPool $pool, array $kept): Finding
    {
        $kept = array_values(array_filter($kept, static fn (array $one): bool => array_filter($one[1]->upstream?->addresses() ?? [], $pool->listensAt(...)) !== []));
        $children = $pool->integer('pm.max_children');
        $evidence = [];
        $terms = [];
        $sum = 0;

        foreach ($servers->known as $nginx) {
            $passes = array_map(static fn (array $one): FastcgiPass => $one[1], array_values(array_filter($kept, static fn (array $one): bool => $one[0] === $nginx)));

            if ($passes !== []) {
                $workers = $nginx->facts->workers() ?? throw UnknownFact::because('worker_processes of nginx is not a number.', 'sudo nginx -T | grep worker_processes');
                $each = $this->each($passes);
                array_push($evidence, new Evidence('worker_processes', (string) $workers, $nginx->facts->workerProcesses()->source), ...$this->evidence($passes));
                $terms[] = "{$workers} x {$each}";
                $sum += $workers * $each;
            }
        }

        $sums = implode(' + ', $terms)." = {$sum}";
        array_push($evidence, $pool->evidence('pm.max_children'), new Evidence('sum', "{$sums}, of {$children}", 'the lines above'));

        return $sum <= $children - self::RESERVE ? Finding::pass('idle connections leave processes free', ...$evidence) : Finding::fail(
            (count($terms) === 1 ? 'nginx' : count($terms).' nginx together')." may keep {$sums} connections to a pool of {$children} processes, and each holds one of them.",
            $evidence,
            'Requests wait for a free process although all of them are idle, then fail with 502 or 504.',
            $this->fix($kept),
        );
    }

    /**
     * @param list<FastcgiPass> $passes of one nginx
     * @return array<string, Upstream>
     */
    private function upstreams(array $passes): array
    {
        $upstreams = [];

        foreach ($passes as $pass) {
            if ($pass->upstream !== null) {
                $upstreams[$pass->upstream->name] = $pass->upstream;
            }
        }

        return $upstreams;
    }

    /** @param list<FastcgiPass> $passes of one nginx */
    private function each(array $passes): int
    {
        return array_sum(array_map(static fn (Upstream $upstream): int => $upstream->keepalive->number() ?? 0, $this->upstreams($passes)));
    }

    /**
     * @param non-empty-list<FastcgiPass> $passes of one nginx
     * @return list<Evidence>
     */
    private function evidence(array $passes): array
    {
        return [
            ...array_values(array_map(static fn (Upstream $upstream): Evidence => new Evidence("keepalive of {$upstream->name}", $upstream->keepalive->value() ?? '', $upstream->keepalive->source), $this->upstreams($passes))),
            new Evidence('fastcgi_keep_conn', 'on', $passes[0]->keepConn->source),
        ];
    }

    /** @param list<array{NginxServer, FastcgiPass}> $kept */
    private function fix(array $kept): Fix
    {
        $passes = [];
        $reloads = [];

        foreach ($kept as [$nginx, $pass]) {
            $passes[] = $pass;
            $reloads[$nginx->master->pid] = $nginx->reload();
        }

        return new Fix('Do not keep connections to PHP-FPM; where it is on another machine, keep at most (max_children - 1) / worker_processes, with a keepalive_timeout of a few seconds.', Change::toKeepNone(...$passes), array_values($reloads), 'Put the lines back and reload nginx.', 'headroom doctor --only=N5');
    }

    /**
     * What must go with another number of workers or processes, so that kept connections still leave a process free.
     *
     * @return list<Edit>
     */
    public static function editsFor(
        Facts $facts,
        ?NginxServer $changed,
        int $workers,
        ?FpmPool $lowered = null,
        int $children = 0,
    ): array {
        try {
            $servers = $facts->get(NginxServers::class);
            $pools = $facts->get(FpmPools::class)->pools;
        } catch (AbsentFact|UnknownFact) {
            return [];
        }

        $check = new self;
        $edits = [];

        foreach ($pools as $pool) {
            $kept = array_values(
                array_filter(
                    $check->kept($servers),
                    static fn (array $one): bool => array_filter(
                        $one[1]->upstream?->addresses() ?? [],
                        $pool->listensAt(...),
                    ) !== [],
                ),
            );
            $sum = 0;

            foreach ($servers->known as $nginx) {
                $passes = array_map(
                    static fn (array $one): FastcgiPass => $one[1],
                    array_values(array_filter($kept, static fn (array $one): bool => $one[0] === $nginx)),
                );
                $sum += ($nginx === $changed ? $workers : $nginx->facts->workers() ?? 1) * $check->each($passes);
            }

            $most = $pool === $lowered ? $children : $pool->settings->integer('pm.max_children') ?? 0;

            if ($sum > $most - self::RESERVE) {
                $edits = [
                    ...$edits,
                    ...Change::toKeepNone(...array_map(static fn (array $one): FastcgiPass => $one[1], $kept)),
                ];
            }
        }

        return array_values(array_unique($edits, SORT_REGULAR));
    }

    /** @return list<string> */
    public static function reloads(Facts $facts): array
    {
        return array_map(
            static fn (NginxServer $nginx): string => $nginx->reload(),
            $facts->get(NginxServers::class)->known,
        );
    }
}
