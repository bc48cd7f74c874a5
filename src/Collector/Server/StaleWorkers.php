<?php

declare(strict_types=1);

namespace Headroom\Collector\Server;

use Closure;

/**
 * Workers of a supervisor that was killed. They leave by themselves, unless they are stuck.
 *
 * @internal
 */
final readonly class StaleWorkers
{
    public function __construct(private StateDirectory $home) {}

    /** @param Closure(string): void $say */
    public function kill(Closure $say): void
    {
        $processes = $this->home->read('status')['processes'] ?? null;

        foreach (is_array($processes) ? $processes : [] as $process) {
            $pid = is_array($process) ? $process['pid'] ?? null : null;

            if (is_int($pid) && self::isWorker($pid) && ! self::hasSupervisor($pid)) {
                $say("worker of an earlier collector (pid {$pid}) still has the address, and is killed");
                posix_kill($pid, SIGKILL);
            }
        }
    }

    /** The file may name the worker of another collector, which is no orphan. */
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
