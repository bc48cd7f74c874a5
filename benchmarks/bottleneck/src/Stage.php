<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Bottleneck;

/**
 * What the article's team tried, one after the other. From Limits on each keeps what the one before it changed; what
 * Keepalive changed is taken back, since it would spoil every stage behind it.
 */
enum Stage: string
{
    case Baseline = 'baseline';
    case Packages = 'packages';
    case Keepalive = 'keepalive';
    case Limits = 'limits';
    case Cpus = 'cpus';
    case Files = 'files';
    case Persistent = 'persistent';

    public function title(): string
    {
        return match ($this) {
            self::Baseline => 'Baseline',
            self::Packages => 'Packages updated',
            self::Keepalive => 'nginx keeps connections to FPM',
            self::Limits => 'Larger backlog and limits',
            self::Cpus => 'CPU quota doubled',
            self::Files => 'Session and cache on files',
            self::Persistent => 'Persistent connections to Redis',
        };
    }

    public function words(): string
    {
        return match ($this) {
            self::Baseline => '25 processes of FPM, session and cache in Redis, one connection each per request.',
            self::Packages =>
                'Nothing is newer here, so that this is the baseline once more: how much two runs of one thing differ.',
            self::Keepalive =>
                'fastcgi_keep_conn on, keepalive 30 in each of two workers of nginx, 40 processes of FPM.',
            self::Limits => 'listen.backlog 3072, worker_connections and keepalive_requests 2048, pm.max_requests 2048,'
                .' opcache 512 MB, 40 processes. The connections of the stage before are no longer kept.',
            self::Cpus => 'nginx and FPM may use twice the CPU time.',
            self::Files => 'The control: nothing goes to Redis.',
            self::Persistent => 'REDIS_PERSISTENT=true, each connection with its database.',
        };
    }

    public function children(): int
    {
        return $this === self::Baseline || $this === self::Packages ? 25 : 40;
    }

    public function keepsConnections(): bool
    {
        return $this === self::Keepalive;
    }

    public function hasLargeLimits(): bool
    {
        return ! in_array($this, [self::Baseline, self::Packages, self::Keepalive], true);
    }

    /** That nginx and FPM may use. */
    public function cpus(): float
    {
        return in_array($this, [self::Cpus, self::Files, self::Persistent], true) ? 2.0 : 1.0;
    }

    /** Of session and cache. */
    public function driver(): string
    {
        return $this === self::Files ? 'file' : 'redis';
    }

    public function isPersistent(): bool
    {
        return $this === self::Persistent;
    }

    /**
     * What the doctor may name here. Whoever waits for nothing works until the CPUs are full, which 350 users without a
     * pause see to: that is no fault of the stack.
     *
     * @return non-empty-list<string>
     */
    public function causes(): array
    {
        return match ($this) {
            self::Keepalive => ['kept-connections', 'redis-connections'],
            self::Files, self::Persistent => ['nothing', 'cpu-full'],
            default => ['redis-connections'],
        };
    }

    /** @return list<string> checks that have to find something */
    public function harm(): array
    {
        return match ($this) {
            self::Keepalive => ['N5', 'R1'],
            self::Files, self::Persistent => [],
            default => ['R1'],
        };
    }

    /** Whether something is wrong with the stack that is to be found. */
    public function isIll(): bool
    {
        return $this->harm() !== [];
    }
}
