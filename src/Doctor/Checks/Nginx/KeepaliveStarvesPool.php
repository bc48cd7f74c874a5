<?php

declare(strict_types=1);

namespace Headroom\Doctor\Checks\Nginx;

use Headroom\Doctor\Check;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\Facts\Fpm\FpmPool;
use Headroom\Doctor\Facts\Fpm\FpmPools;
use Headroom\Doctor\Facts\Nginx\Change;
use Headroom\Doctor\Facts\Nginx\FastcgiPass;
use Headroom\Doctor\Facts\Nginx\NginxServer;
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
            'fastcgi_keep_conn is on, and worker_processes times the keepalive of all upstreams of a pool is more than its pm.max_children less one.',
            ['https://nginx.org/en/docs/http/ngx_http_upstream_module.html#keepalive', 'https://nginx.org/en/docs/http/ngx_http_fastcgi_module.html#fastcgi_keep_conn'],
            5,
        );
    }

    public function examine(Facts $facts): array
    {
        $nginx = $facts->get(NginxServer::class);
        $kept = $this->kept($nginx);

        if ($kept === []) {
            return [Finding::pass('connections to PHP-FPM are not kept', new Evidence('fastcgi_keep_conn', 'off, or no upstream keeps any', 'nginx -T'))];
        }

        $pools = $facts->get(FpmPools::class);
        $findings = [];

        foreach ($kept as $pass) {
            foreach ($pass->upstream?->addresses() ?? [] as $address) {
                $pool = $pools->listeningAt($address);

                if ($pool !== null) {
                    $findings[$pool->name()] ??= $this->finding($nginx, $pool, array_values(array_filter($kept, static fn (FastcgiPass $other): bool => $other->upstream !== null && array_filter($other->upstream->addresses(), $pool->listensAt(...)) !== [])));
                }
            }
        }

        return array_values($findings);
    }

    /** @return list<FastcgiPass> */
    private function kept(NginxServer $nginx): array
    {
        return array_values(array_filter($nginx->facts->passes(), static fn (FastcgiPass $pass): bool => $pass->keepConn->is('on') && ($pass->upstream?->keepalive->number() ?? 0) > 0));
    }

    /** @param list<FastcgiPass> $passes */
    private function finding(NginxServer $nginx, FpmPool $pool, array $passes): Finding
    {
        $workers = $nginx->facts->workers() ?? throw UnknownFact::because('worker_processes of nginx is not a number.', 'sudo nginx -T | grep worker_processes');
        $upstreams = [];

        foreach ($passes as $pass) {
            if ($pass->upstream !== null) {
                $upstreams[$pass->upstream->name] = $pass->upstream;
            }
        }

        $each = array_sum(array_map(static fn (Upstream $upstream): int => $upstream->keepalive->number() ?? 0, $upstreams));
        $children = $pool->integer('pm.max_children');
        $evidence = [
            new Evidence('worker_processes', (string) $workers, $nginx->facts->workerProcesses()->source),
            ...array_values(array_map(static fn (Upstream $upstream): Evidence => new Evidence("keepalive of {$upstream->name}", $upstream->keepalive->value() ?? '', $upstream->keepalive->source), $upstreams)),
            new Evidence('fastcgi_keep_conn', 'on', $passes[0]->keepConn->source),
            $pool->evidence('pm.max_children'),
            new Evidence('sum', "{$workers} x {$each} = ".$workers * $each.", of {$children}", 'the lines above'),
        ];

        return ($workers * $each <= $children - self::RESERVE ? Finding::pass('idle connections leave processes free', ...$evidence) : Finding::fail(
            "nginx may keep {$workers} x {$each} = ".$workers * $each." connections to a pool of {$children} processes, and each holds one of them.",
            $evidence,
            'Requests wait for a free process although all of them are idle, then fail with 502 or 504.',
            $this->fix($nginx, $passes),
        ))->about("pool {$pool->name()}");
    }

    /** @param list<FastcgiPass> $passes */
    private function fix(NginxServer $nginx, array $passes): Fix
    {
        $edits = [];

        foreach ($passes as $pass) {
            foreach ([
                $pass->keepConn->said === null ? null : Change::to($pass->keepConn->said, 'fastcgi_keep_conn off'),
                $pass->upstream?->keepalive->said === null ? null : Change::without($pass->upstream->keepalive->said),
            ] as $edit) {
                if ($edit !== null) {
                    $edits["{$edit->file}:{$edit->line}"] = $edit;
                }
            }
        }

        return new Fix('Do not keep connections to PHP-FPM; where it is on another machine, keep at most (max_children - 1) / worker_processes, with a keepalive_timeout of a few seconds.', array_values($edits), [$nginx->reload()], 'Put the lines back and reload nginx.', 'headroom doctor --only=N5');
    }
}
