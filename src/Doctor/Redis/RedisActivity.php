<?php

declare(strict_types=1);

namespace Headroom\Doctor\Redis;

use Headroom\Doctor\Evidence;

/**
 * @internal
 */
final readonly class RedisActivity
{
    /**
     * @param float $seconds of the window
     * @param ?float $cpuSeconds of the thread that runs commands; null if unknown
     * @param float $roundTrip seconds of a PING on an open connection: the median of up to twenty, the better of two
     *     samples
     */
    public function __construct(public float $seconds, public ?float $cpuSeconds, public float $roundTrip) {}

    public function trip(): Evidence
    {
        return new Evidence('round trip', sprintf('%.0f µs', $this->roundTrip * 1e6), 'PING, the median of some');
    }
}
