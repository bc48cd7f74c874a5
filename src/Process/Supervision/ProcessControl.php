<?php

declare(strict_types=1);

namespace Headroom\Process\Supervision;

use Closure;

/**
 * Starts, signals and reaps processes, so that a supervisor can be tested without real ones.
 *
 * @internal
 */
interface ProcessControl
{
    /**
     * @param Closure(int): int $work gets the pid of the parent, returns the exit code
     * @param-out string $reason why the process could not be started
     *
     * @return ?int pid
     */
    public function start(Closure $work, ?string &$reason = null): ?int;

    /** @return ?ProcessExit null while the process runs; the kernel reports an exit once */
    public function reap(int $pid): ?ProcessExit;

    public function signal(int $pid, int $signal): void;
}
