<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Bottleneck;

/**
 * The distance of Redis, and the cost of a new connection. Both are our own choice.
 */
final readonly class RedisDelay
{
    /**
     * @param float $roundTripMillis there and back
     * @param float $connectionMillis that the other side needs for a new connection, one after the other
     */
    public function __construct(public float $roundTripMillis = 1.0, public float $connectionMillis = 11.5) {}

    /** @return array{round_trip_ms: float, connection_ms: float} */
    public function toArray(): array
    {
        return ['round_trip_ms' => $this->roundTripMillis, 'connection_ms' => $this->connectionMillis];
    }
}
