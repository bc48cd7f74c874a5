<?php

declare(strict_types=1);

namespace Headroom\Doctor\Nginx\Fpm;

use Closure;
use Headroom\Doctor\Edit;
use Headroom\Doctor\Evidence;
use Headroom\Doctor\Facts;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Fix;
use Headroom\Doctor\Fpm\FpmPool;
use Headroom\Doctor\Fpm\FpmPools;
use Headroom\Doctor\ManualChange;
use Headroom\Doctor\Nginx\Directives\FastcgiPass;
use Headroom\Doctor\Nginx\Directives\PassTarget;
use Headroom\Doctor\Nginx\Directives\Upstream;
use Headroom\Doctor\Nginx\Edits\NginxChange;
use Headroom\Doctor\Nginx\Edits\NginxEdits;
use Headroom\Doctor\Nginx\NginxServer;
use Headroom\Doctor\Nginx\NginxServers;
use Headroom\Doctor\Nginx\Variables\VariableNames;

/**
 * The idle connections that workers of nginx may keep to PHP-FPM. Each holds a process, which accepts no other.
 *
 * @internal
 */
final readonly class IdleConnections
{
    /** Processes that other servers, health checks and the status page need. */
    private const RESERVE = 1;

    /** @param list<KeepaliveUpstream> $kept */
    private function __construct(private array $kept) {}

    public static function of(NginxServer ...$servers): self
    {
        $kept = [];

        foreach ($servers as $nginx) {
            foreach ($nginx->facts->passes() as $pass) {
                foreach ($pass->kept() as $upstream) {
                    $kept[] = new KeepaliveUpstream($nginx, $pass, $upstream);
                }
            }
        }

        return new self($kept);
    }

    /**
     * Those that would leave a pool without a free process after a change.
     *
     * @param ?NginxServer $changed the nginx that gets this number of workers
     * @param ?FpmPool $lowered the pool that gets this number of processes
     */
    public static function starving(
        Facts $facts,
        ?NginxServer $changed = null,
        int $workers = 0,
        ?FpmPool $lowered = null,
        int $children = 0,
    ): self {
        $all = self::of(...$facts->find(NginxServers::class)->known ?? []);
        $starving = [];

        foreach ($facts->find(FpmPools::class)->pools ?? [] as $pool) {
            $own = $all->to($pool);
            $sum = 0;

            foreach ($own->servers() as $nginx) {
                $count = $nginx === $changed ? $workers : $nginx->facts->workers() ?? 1;
                $sum += $count * $own->perWorker($nginx);
            }

            $most = $pool === $lowered ? $children : $pool->settings->integer('pm.max_children') ?? 0;

            // One upstream may lead to several pools.
            foreach ($sum > $most - self::RESERVE ? $own->kept : [] as $one) {
                $starving[spl_object_id($one)] = $one;
            }
        }

        return new self(array_values($starving));
    }

    /** @return array<string, FactUnavailable> by place: whether it keeps more connections than is known */
    public static function unresolved(NginxServer $nginx): array
    {
        $unresolved = [];

        foreach ($nginx->facts->passes() as $pass) {
            $why = $pass->whetherMoreAreKept($nginx->facts->upstreams());
            $unresolved += $why === null ? [] : [$nginx->facts->place($pass->directive) => $why];
        }

        return $unresolved;
    }

    public function isEmpty(): bool
    {
        return $this->kept === [];
    }

    public function to(FpmPool $pool): self
    {
        return new self(array_values(array_filter(
            $this->kept,
            static fn (KeepaliveUpstream $one): bool
                => array_filter($one->upstream->addresses(), $pool->listensAt(...)) !== [],
        )));
    }

    public function toUpstream(string $name): self
    {
        return new self(array_values(array_filter(
            $this->kept,
            static fn (KeepaliveUpstream $one): bool => $one->upstream->name === $name,
        )));
    }

    /**
     * @param Closure(FpmPool, self): Finding $examine gets a pool and the connections to it
     * @return list<Finding>
     */
    public function ofEachPool(FpmPools $pools, Closure $examine): array
    {
        $findings = [];

        foreach ($this->kept as $one) {
            foreach ($one->upstream->addresses() as $address) {
                $found = $pools->behind($address, fn (FpmPool $pool): Finding => $examine($pool, $this->to($pool)));

                foreach ($found as $finding) {
                    $findings[$finding->subject] ??= $finding;
                }
            }
        }

        return array_values($findings);
    }

    /** @return list<NginxServer> that keep them */
    public function servers(): array
    {
        $servers = [];

        foreach ($this->kept as $one) {
            $servers[$one->nginx->master->pid] = $one->nginx;
        }

        return array_values($servers);
    }

    /** @return array<string, Upstream> by name */
    public function upstreams(NginxServer $nginx): array
    {
        $upstreams = [];

        foreach ($this->kept as $one) {
            if ($one->nginx === $nginx) {
                $upstreams[$one->upstream->name] = $one->upstream;
            }
        }

        return $upstreams;
    }

    /**
     * @return list<string> a term for each nginx, such as "2 x 16"
     *
     * @throws FactUnavailable
     */
    public function terms(): array
    {
        return array_map(
            fn (NginxServer $nginx): string => "{$nginx->workers()} x {$this->perWorker($nginx)}",
            $this->servers(),
        );
    }

    /** @throws FactUnavailable */
    public function sum(): int
    {
        return array_sum(array_map(
            fn (NginxServer $nginx): int => $nginx->workers() * $this->perWorker($nginx),
            $this->servers(),
        ));
    }

    /** @throws FactUnavailable */
    public function leaveFree(int $children): bool
    {
        return $this->sum() <= $children - self::RESERVE;
    }

    /**
     * @return list<Evidence>
     *
     * @throws FactUnavailable
     */
    public function evidence(): array
    {
        $evidence = [];

        foreach ($this->servers() as $nginx) {
            $workers = (string) $nginx->workers();
            $evidence[] = new Evidence('worker_processes', $workers, $nginx->facts->workerProcesses()->source);

            foreach ($this->upstreams($nginx) as $upstream) {
                $evidence[] = $nginx->evidence($upstream->keepalive, " of {$upstream->name}");
            }

            foreach (array_slice($this->passes($nginx), 0, 1) as $pass) {
                $evidence[] = $nginx->evidence($pass->keepConn);

                if (VariableNames::in($pass->address) !== []) {
                    $names = array_map(static fn (PassTarget $target): string => $target->name, $pass->targets->known);
                    $values = "{$pass->address}: ".implode(', ', $names);
                    $evidence[] = new Evidence('fastcgi_pass', $values, $pass->directive->where());
                }
            }
        }

        return $evidence;
    }

    /** @return list<Evidence> each fastcgi_keep_conn that asks PHP-FPM to leave them open */
    public function askedIn(NginxServer $nginx): array
    {
        return array_values(array_column(array_map(
            static fn (FastcgiPass $pass): Evidence => $nginx->evidence($pass->keepConn),
            $this->passes($nginx),
        ), null, 'source'));
    }

    /** @return list<NginxChange> after which none is kept */
    public function removed(): array
    {
        return array_merge(...array_map(
            fn (NginxServer $nginx): array => NginxChange::keepingNone($nginx->facts, ...$this->passes($nginx)),
            $this->servers(),
        ));
    }

    /** A fix that changes these, and after which nginx keeps no connection. */
    public function fix(Edit|ManualChange ...$changes): Fix
    {
        return new Fix(
            changes: [...array_values($changes), ...NginxEdits::edits($this->removed())],
            commands: $this->reloads(),
        );
    }

    /** @return list<string> commands */
    public function reloads(): array
    {
        return array_map(static fn (NginxServer $nginx): string => $nginx->reload(), $this->servers());
    }

    /** @return list<Evidence> the requests of a connection after which nginx closes it */
    public function requestLimits(NginxServer $nginx): array
    {
        return array_values(array_map(
            static fn (Upstream $one): Evidence => $nginx->evidence($one->keepaliveRequests, " of {$one->name}"),
            $this->upstreams($nginx),
        ));
    }

    /** @return list<FastcgiPass> */
    private function passes(NginxServer $nginx): array
    {
        $own = array_filter($this->kept, static fn (KeepaliveUpstream $one): bool => $one->nginx === $nginx);

        return array_map(static fn (KeepaliveUpstream $one): FastcgiPass => $one->pass, array_values($own));
    }

    private function perWorker(NginxServer $nginx): int
    {
        return array_sum(array_map(
            static fn (Upstream $upstream): int => $upstream->keepalive->number() ?? 0,
            $this->upstreams($nginx),
        ));
    }
}
