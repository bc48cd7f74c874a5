<?php

declare(strict_types=1);

namespace Headroom\Collector;

/**
 * Events that were not taken and are kept with the reason, where the configuration says so. The client was told
 * already: whether this append succeeds does not change its answer, but is counted.
 *
 * @internal
 */
final readonly class DeadLetters
{
    /**
     * @param string $lines as those of a IngestResult
     * @param int<1, max> $count of them
     */
    public function __construct(public string $bucket, public string $lines, public int $count) {}
}
