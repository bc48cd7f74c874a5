<?php

declare(strict_types=1);

namespace Headroom\Process\Supervision;

/**
 * Signals and reaps the processes of a supervisor. Forks and programs are started and reaped in different ways.
 *
 * @internal
 */
interface ProcessControl
{
    /** @return ?ProcessExit null while the process runs; the exit is reported once */
    public function reap(int $pid): ?ProcessExit;

    public function signal(int $pid, int $signal): void;
}
