<?php

declare(strict_types=1);

namespace Headroom\Spool\Store\State;

/**
 * A bucket's totals at one moment.
 *
 * @internal
 */
final readonly class ThroughputSample
{
    /**
     * @param int $at microseconds since the Unix epoch
     * @param int $accepted number of events in sealed segments
     */
    public function __construct(public int $at, public int $accepted, public int $delivered) {}
}
