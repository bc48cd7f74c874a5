<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Bottleneck;

/**
 * A limit of the CPU time of a group of processes: a control group, version 2 or 1, if this machine allows one;
 * otherwise whole cores.
 */
final readonly class CpuQuota
{
    private const PERIOD_MICROS = 100_000;

    private function __construct(private float $cpus, private ?string $group, private bool $isVersion1) {}

    public static function of(float $cpus): self
    {
        foreach (['/sys/fs/cgroup' => false, '/sys/fs/cgroup/cpu' => true] as $root => $isVersion1) {
            $group = "{$root}/headroom-bench-".getmypid().'-'.bin2hex(random_bytes(3));
            $limit = $isVersion1 ? "{$group}/cpu.cfs_quota_us" : "{$group}/cpu.max";

            if (
                ! is_file($isVersion1 ? "{$root}/cpu.cfs_quota_us" : "{$root}/cgroup.subtree_control")
                || ! @mkdir($group)
            ) {
                continue;
            }

            $isVersion1 || @file_put_contents("{$root}/cgroup.subtree_control", '+cpu');
            $isVersion1 && @file_put_contents("{$group}/cpu.cfs_period_us", (string) self::PERIOD_MICROS);
            $micros = (int) round($cpus * self::PERIOD_MICROS);

            if (
                is_file($limit)
                && @file_put_contents($limit, $isVersion1 ? (string) $micros : "{$micros} ".self::PERIOD_MICROS)
                    !== false
            ) {
                return new self($cpus, $group, $isVersion1);
            }

            rmdir($group);
        }

        return new self($cpus, null, false);
    }

    public function how(): string
    {
        return $this->group === null
            ? 'taskset, '.$this->cores().' of the cores'
            : sprintf(
                '%s of a control group, version %d: %.0f %% of a core',
                $this->isVersion1 ? 'cpu.cfs_quota_us' : 'cpu.max',
                $this->isVersion1 ? 1 : 2,
                $this->cpus * 100,
            );
    }

    /** @return list<string> command that starts a program with this limit for it and its children */
    public function prefix(): array
    {
        return $this->group === null
            ? ['taskset', '-c', '0-'.($this->cores() - 1)]
            : ['/bin/sh', '-c', 'echo $$ >"$0"/cgroup.procs && exec "$@"', $this->group];
    }

    /** Call it when no process is left in the group. */
    public function remove(): void
    {
        // The kernel needs a moment after the last process has ended.
        for ($i = 0; $this->group !== null && is_dir($this->group) && ! @rmdir($this->group) && $i < 50; $i++) {
            usleep(20_000);
        }
    }

    private function cores(): int
    {
        return max(1, (int) ceil($this->cpus));
    }
}
