<?php

declare(strict_types=1);

namespace Headroom\Load;

/**
 * How far a run is.
 */
final readonly class Progress
{
    /**
     * @param float $seconds since it began
     * @param int $errors of all that ended
     * @param float $perSecond how many have ended in each of the last seconds, however
     * @param ?int $p95 microseconds, of what was answered or timed out in the last seconds; null when nothing was
     */
    public function __construct(
        public float $seconds,
        public int $sent,
        public int $succeeded,
        public int $errors,
        public int $inFlight,
        public float $perSecond,
        public ?int $p95,
    ) {}
}
