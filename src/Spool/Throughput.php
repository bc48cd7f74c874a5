<?php

declare(strict_types=1);

namespace Headroom\Spool;

/**
 * Events per second, over a minute or more. Null where nothing was measured yet.
 */
final readonly class Throughput
{
    public function __construct(public ?float $inPerSecond = null, public ?float $outPerSecond = null) {}
}
