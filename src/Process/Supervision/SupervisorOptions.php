<?php

declare(strict_types=1);

namespace Headroom\Process\Supervision;

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
     * @param int $settledSeconds a process that ends after this time is started again without a pause
     * @param int $longestPauseSeconds the limit of the pause before a restart, which doubles from one second
     */
    public function __construct(
        public int $graceSeconds = 30,
        public int $napMicros = 1_000_000,
        public int $endingNapMicros = 50_000,
        public int $settledSeconds = 30,
        public int $longestPauseSeconds = 30,
    ) {}
}
