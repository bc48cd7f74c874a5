<?php

declare(strict_types=1);

namespace Headroom\Load\Metrics;

/**
 * Whether requests started when they were due.
 */
final readonly class Schedule
{
    /** A request that starts later than this counts as late. */
    public const LATE_MICROS = 10_000;

    /**
     * @param int $dropped requests that were due before the end and never started
     * @param Histogram $delay from the moment at which a request was due to the moment of sending
     */
    public function __construct(public int $late, public int $dropped, public Histogram $delay) {}

    /** @return array{late: int, dropped: int, delay_us: array<string, int|float|null>} */
    public function toArray(): array
    {
        return ['late' => $this->late, 'dropped' => $this->dropped, 'delay_us' => $this->delay->toArray()];
    }
}
