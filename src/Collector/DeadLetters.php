<?php

declare(strict_types=1);

namespace Headroom\Collector;

/**
 * Rejected events with the reason, for the dead-letter bucket. The response names them as rejected whether or not this
 * append succeeds; the metrics count both outcomes.
 *
 * @internal
 */
final readonly class DeadLetters
{
    /**
     * @param string $lines as those of IngestResult
     * @param int<1, max> $count number of events
     */
    public function __construct(public string $bucket, public string $lines, public int $count) {}
}
