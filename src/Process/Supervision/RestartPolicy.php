<?php

declare(strict_types=1);

namespace Headroom\Process\Supervision;

/**
 * When a supervisor fills a slot.
 *
 * @internal
 */
interface RestartPolicy
{
    /** Whether an empty slot needs a process now. It is asked at each tick and must not block. */
    public function isWanted(WorkerSlot $slot): bool;

    /** Whether the slot stays empty after this exit. It is not asked when the supervisor has ended the process. */
    public function isFinal(WorkerSlot $slot, ProcessExit $exit): bool;
}
