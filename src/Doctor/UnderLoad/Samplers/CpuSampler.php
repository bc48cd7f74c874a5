<?php

declare(strict_types=1);

namespace Headroom\Doctor\UnderLoad\Samplers;

use Headroom\Core\Clock;
use Headroom\Doctor\Kernel\CpuTicks;
use Headroom\Doctor\Kernel\KernelFiles;
use Headroom\Process\Proc;

/**
 * @internal
 *
 * @implements Sampler<CpuSnapshot>
 */
final class CpuSampler implements Sampler
{
    private const PROGRAMS = [
        'php-fpm' => '/\Aphp-fpm/',
        'nginx' => '/\Anginx\z/',
        'Redis' => '/\A(?:redis|valkey|keydb)-server/',
        'the SQL server' => '/\A(?:mariadbd|mysqld|postgres)\z/',
    ];

    /** The search for new processes reads all processes of the machine. */
    private const REFRESH_NANOS = 2_000_000_000;

    private int $lookedAt = PHP_INT_MIN;

    /** @var array<int, key-of<self::PROGRAMS>> kind of program by pid */
    private array $processes = [];

    /** @var array<string, array{key-of<self::PROGRAMS>, int}> kind and its ticks at the last look, by pid and start */
    private array $ticks = [];

    public function __construct(
        private readonly Clock $clock,
        private readonly KernelFiles $files = new KernelFiles,
        private readonly Proc $proc = new Proc,
    ) {}

    public function subject(): string
    {
        return 'the CPUs';
    }

    public function read(): CpuSnapshot
    {
        $ticks = CpuTicks::now($this->files);

        return new CpuSnapshot($ticks->all, $ticks->idle, $this->programs());
    }

    /** @return array<string, int> */
    private function programs(): array
    {
        $now = $this->clock->monotonicNanos();

        if ($now - $this->lookedAt > self::REFRESH_NANOS) {
            $this->lookedAt = $now;
            $this->processes = $this->found();
        }

        foreach ($this->processes as $pid => $kind) {
            $stat = $this->proc->stat($pid);

            // The CPU time of an ended process stays in the sum.
            if ($stat !== null) {
                $this->ticks["{$pid} {$stat->startTicks}"] = [$kind, $stat->cpuTicks];
            }
        }

        $sums = [];

        foreach ($this->ticks as [$kind, $used]) {
            $sums[$kind] = ($sums[$kind] ?? 0) + $used;
        }

        return $sums;
    }

    /** @return array<int, key-of<self::PROGRAMS>> */
    private function found(): array
    {
        $found = [];

        foreach ($this->files->pids() as $pid) {
            $name = $this->proc->stat($pid)->name ?? '';

            foreach (self::PROGRAMS as $kind => $pattern) {
                if (preg_match($pattern, $name) === 1) {
                    $found[$pid] = $kind;
                }
            }
        }

        return $found;
    }
}
