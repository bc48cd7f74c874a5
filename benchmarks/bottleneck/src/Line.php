<?php

declare(strict_types=1);

namespace Headroom\Benchmarks\Bottleneck;

/**
 * The way to Redis: how long it is, and what each new connection costs at its end. Both are made up, and all that is.
 */
final readonly class Line
{
    /**
     * @param float $roundTripMillis there and back
     * @param float $connectionMillis that the other side works on a new connection, on one after the other
     */
    public function __construct(public float $roundTripMillis = 1.0, public float $connectionMillis = 11.5) {}

    /** @return array{round_trip_ms: float, connection_ms: float} */
    public function toArray(): array
    {
        return ['round_trip_ms' => $this->roundTripMillis, 'connection_ms' => $this->connectionMillis];
    }
}
