<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Bottleneck;

/**
 * The changes that the authors of a published account tried. From Limits on, each keeps those of the stage before it.
 * The change of Keepalive is undone, because it would spoil each later stage.
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
            self::Baseline =>
                '25 PHP-FPM processes. Each request makes a connection to Redis for the session and one for'
                    .' the cache.',
            self::Packages =>
                'No package is newer here, so this is the baseline again: it shows how much two runs differ.',
            self::Keepalive =>
                '`fastcgi_keep_conn on`, `keepalive 30` in each of two nginx workers, 40 PHP-FPM processes.',
            self::Limits =>
                '`listen.backlog` 3072; `worker_connections`, `keepalive_requests` and `pm.max_requests` 2048;'
                    .' opcache 512 MB; 40 processes. nginx no longer keeps connections.',
            self::Cpus => 'nginx and PHP-FPM may use twice the CPU time.',
            self::Files => 'The control: nothing uses Redis.',
            self::Persistent => '`REDIS_PERSISTENT=true`.',
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
     * The causes that the doctor may name here. Processes that wait for nothing work until the CPUs are full, because
     * 350 users never pause; that is no fault of the stack.
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

    /** @return list<string> checks that must report a finding */
    public function harm(): array
    {
        return match ($this) {
            self::Keepalive => ['N5', 'R1'],
            self::Files, self::Persistent => [],
            default => ['R1'],
        };
    }

    /** Whether the stack has a fault to be found. */
    public function isIll(): bool
    {
        return $this->harm() !== [];
    }
}
