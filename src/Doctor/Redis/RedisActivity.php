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
     * @param ?float $cpuSeconds of the thread that runs commands in it; null: the server does not tell
     * @param float $roundTrip seconds of a PING over a connection that is there, the median of up to twenty;
     *     the better of two looks
     */
    public function __construct(public float $seconds, public ?float $cpuSeconds, public float $roundTrip) {}

    public function trip(): Evidence
    {
        return new Evidence('round trip', sprintf('%.0f µs', $this->roundTrip * 1e6), 'PING, the median of some');
    }
}
