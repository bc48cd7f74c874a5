<?php

declare(strict_types=1);

namespace Headroom\Load\Executor;

/**
 * Decides when iterations start. Times are nanoseconds from the start of the run.
 *
 * @internal
 */
interface Executor
{
    /** Takes an iteration that must start by now, and returns the time at which it was due; null if none is. */
    public function start(int $now): ?int;

    /** An iteration that was started has ended. */
    public function ended(int $now): void;

    /** The time of the next call of start() if no iteration ends before; PHP_INT_MAX for never. */
    public function nextStart(): int;
}
