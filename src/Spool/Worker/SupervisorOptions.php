<?php

declare(strict_types=1);

namespace Headroom\Spool\Worker;

use Headroom\Process\Supervision\SlotOptions;

/**
 * @internal
 */
final readonly class SupervisorOptions
{
    /**
     * @param int $graceSeconds after which a process that does not end is killed; the turn of a bucket lasts five
     *     seconds, and its current batch must fit in
     * @param int $napMicros between two checks of the processes
     * @param int $endingNapMicros between two checks while the last processes end
     */
    public function __construct(
        public int $graceSeconds = 30,
        public int $napMicros = 1_000_000,
        public int $endingNapMicros = 50_000,
        public SlotOptions $slots = new SlotOptions,
    ) {}
}
