<?php

declare(strict_types=1);

namespace Headroom\Spool\Status;

/**
 * Events per second, averaged over a minute or more; null before the first measurement.
 */
final readonly class Throughput
{
    public function __construct(public ?float $inPerSecond = null, public ?float $outPerSecond = null) {}
}
