<?php

declare(strict_types=1);

namespace Headroom\Doctor\Kernel\Process;

use Closure;
use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\Finding;
use Headroom\Doctor\Kernel\KernelFiles;
use Headroom\Doctor\NotApplicable;

/**
 * Running PHP-FPM, Redis and SQL servers, by the names of their processes. Any user can choose such a name, so the
 * doctor never runs these programs, and reads only the kernel's numbers about them.
 *
 * @internal
 */
final readonly class ServerProcesses
{
    private const NAMES = '/\A(?:php-fpm[\d.]*|redis-server|valkey-server|keydb-server|mysqld|mariadbd|postgres)\z/';

    /** @param non-empty-list<ServerProcess> $processes */
    public function __construct(public array $processes) {}

    /** @throws NotApplicable */
    public static function running(KernelFiles $files = new KernelFiles): self
    {
        $found = [];

        foreach ($files->pids() as $pid) {
            try {
                $name = trim($files->read("/proc/{$pid}/comm"));
            } catch (FactUnavailable) {
                // The process has ended.
                continue;
            }

            if (preg_match(self::NAMES, $name) === 1) {
                $found[] = new ServerProcess($name, $pid, $files);
            }
        }

        return new self($found === [] ? throw NotApplicable::of('no PHP-FPM, Redis or SQL server runs here') : $found);
    }

    /**
     * @template T
     *
     * @param Closure(ServerProcess): T $fact
     * @return array{list<T>, list<Finding>} of each process, and of each program that cannot be read
     */
    public function ask(Closure $fact): array
    {
        $known = [];
        $unknown = [];

        foreach ($this->processes as $process) {
            try {
                $known[] = $fact($process);
            } catch (FactUnavailable $e) {
                // A process that has ended has no facts.
                if ($process->isThere()) {
                    $unknown[$process->program] ??= Finding::unavailable($e)->about($process->program);
                }
            }
        }

        return [$known, array_values($unknown)];
    }

    /**
     * @return array<string, string> the files that count how often a CPU quota stopped a process,
     *     by the programs under the quota
     */
    public function quotas(): array
    {
        $files = [];

        foreach ($this->processes as $process) {
            try {
                $file = $process->quota();
            } catch (FactUnavailable) {
                continue;
            }

            if ($file !== null) {
                $files[$file][$process->program] = true;
            }
        }

        $quotas = [];

        foreach ($files as $file => $programs) {
            $quotas[implode(', ', array_keys($programs)).' in '.basename(dirname($file))] = $file;
        }

        return $quotas;
    }
}
