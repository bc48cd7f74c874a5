<?php

declare(strict_types=1);

namespace Headroom\Collector\Server;

use Closure;

/**
 * Workers that still run after their supervisor was killed. They end by themselves, unless they hang.
 *
 * @internal
 */
final readonly class StaleWorkers
{
    public function __construct(private StateDirectory $directory) {}

    /** @param Closure(string): void $log */
    public function kill(Closure $log): void
    {
        $processes = $this->directory->read('status')['processes'] ?? null;

        foreach (is_array($processes) ? $processes : [] as $process) {
            $pid = is_array($process) ? $process['pid'] ?? null : null;

            if (is_int($pid) && self::isWorker($pid) && ! self::hasSupervisor($pid)) {
                $log("worker (pid {$pid}) of an earlier collector still held the address and was killed");
                posix_kill($pid, SIGKILL);
            }
        }
    }

    /** The file may name a worker of another collector, which has a supervisor. */
    private static function hasSupervisor(int $pid): bool
    {
        $stat = (string) @file_get_contents("/proc/{$pid}/stat");
        // The name in brackets may have anything in it; the state and the parent come behind it.
        $parent = (int) (explode(' ', substr($stat, (int) strrpos($stat, ')') + 2), 3)[1] ?? 0);
        $line = $parent === getmypid() ? '' : (string) @file_get_contents("/proc/{$parent}/cmdline");

        return preg_match('/\0(?:headroom:)?collect(?:\0|\z)/', $line) === 1;
    }

    /** The number may be another process's by now. */
    public static function isWorker(int $pid): bool
    {
        $line = @file_get_contents("/proc/{$pid}/cmdline");

        return $line !== false && str_contains($line, 'collect:worker');
    }
}
