<?php

declare(strict_types=1);

namespace Headroom\Collector\Intake;

/**
 * Events that were not taken and are kept with the reason, where the configuration says so. The client was told
 * already: whether this append succeeds does not change its answer, but is counted.
 *
 * @internal
 */
final readonly class RejectedEvents
{
    /**
     * @param string $lines as those of a Decision
     * @param int<1, max> $count of them
     */
    public function __construct(public string $bucket, public string $lines, public int $count) {}
}
