<?php

declare(strict_types=1);

namespace Headroom\Process\Supervision;

use Closure;

/**
 * The kernel's part in supervising: the decisions of a supervisor can be tested without it.
 *
 * @internal
 */
interface ProcessControl
{
    /**
     * @param Closure(int): int $work told the pid of the process that starts it; returns an exit code
     * @param-out string $reason why no process could be started
     *
     * @return ?int its pid
     */
    public function start(Closure $work, ?string &$reason = null): ?int;

    /** @return ?ProcessExit null while it runs. The kernel tells this once. */
    public function reap(int $pid): ?ProcessExit;

    public function signal(int $pid, int $signal): void;
}
