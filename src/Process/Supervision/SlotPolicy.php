<?php

declare(strict_types=1);

namespace Headroom\Process\Supervision;

/**
 * Decides whether a supervisor fills a slot, and whether the slot stays empty after an exit. Backoff decides when.
 *
 * @internal
 */
interface SlotPolicy
{
    /** Whether an empty slot needs a process now. It is asked at each tick and must not block. */
    public function isWanted(WorkerSlot $slot): bool;

    /** Whether the slot stays empty after this exit. It is not asked when the supervisor has ended the process. */
    public function isFinal(WorkerSlot $slot, ProcessExit $exit): bool;

    /** The predicate of a sentence about the process, for the log. */
    public function describe(ProcessExit $exit): string;
}
