<?php

declare(strict_types=1);

namespace Headroom\Collector\Server;

use Closure;
use Headroom\Process\Proc;

/**
 * Workers that still run after their supervisor was killed. They end by themselves, unless they hang.
 *
 * @internal
 */
final readonly class StaleWorkers
{
    private const SUPERVISORS = ['collect', 'headroom:collect'];

    public function __construct(private StateDirectory $directory, private Proc $proc = new Proc) {}

    /** @param Closure(string): void $log */
    public function kill(Closure $log): void
    {
        $processes = $this->directory->read('status')['processes'] ?? null;

        foreach (is_array($processes) ? $processes : [] as $process) {
            $pid = is_array($process) ? $process['pid'] ?? null : null;

            if (is_int($pid) && self::isWorker($pid) && ! $this->hasSupervisor($pid)) {
                $log("worker (pid {$pid}) of an earlier collector still held the address and was killed");
                posix_kill($pid, SIGKILL);
            }
        }
    }

    /**
     * A stopped worker never ends by itself, and the flusher cannot deliver the segment that it holds open. The status
     * file may not list it: it is written once a second, and not while the disk is full.
     *
     * @param string $directory the working directory of the collector's processes
     * @param Closure(string): void $log
     */
    public function killStopped(string $directory, Closure $log): void
    {
        // The kernel cuts names to 15 bytes.
        foreach ($this->proc->named(substr(basename(PHP_BINARY), 0, 15)) as $pid => $process) {
            if (
                $process->state === 'T'
                && $this->proc->workingDirectory($pid) === realpath($directory)
                && self::isWorker($pid)
                && ! $this->hasSupervisor($pid)
            ) {
                $log("worker (pid {$pid}) of an earlier collector was stopped and was killed");
                posix_kill($pid, SIGKILL);
            }
        }
    }

    /** The file may name a worker of another collector, which has a supervisor. */
    private function hasSupervisor(int $pid): bool
    {
        $parent = $this->proc->stat($pid)?->parent;

        return $parent !== null
            && $parent !== getmypid()
            && array_intersect(self::SUPERVISORS, array_slice($this->proc->commandLine($parent), 1)) !== [];
    }

    /** The pid may belong to another process by now. */
    public static function isWorker(int $pid): bool
    {
        return str_contains(implode(' ', (new Proc)->commandLine($pid)), 'collect:worker');
    }
}
