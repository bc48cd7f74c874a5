<?php

declare(strict_types=1);

namespace Headroom\Load;

/**
 * Whether requests began when they were due.
 */
final readonly class Schedule
{
    /** A request that begins later than this counts as late. */
    public const LATE_MICROS = 10_000;

    /**
     * @param int $dropped due before the end, and never begun
     * @param Histogram $delay of those that began, how long after they were due
     */
    public function __construct(public int $late, public int $dropped, public Histogram $delay) {}

    /** @return array{late: int, dropped: int, delay_us: array<string, int|float|null>} */
    public function toArray(): array
    {
        return ['late' => $this->late, 'dropped' => $this->dropped, 'delay_us' => $this->delay->toArray()];
    }
}
