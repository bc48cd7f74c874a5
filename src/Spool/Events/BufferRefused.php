<?php

declare(strict_types=1);

namespace Headroom\Spool\Events;

use Headroom\Spool\AppendFailure;
use Headroom\Spool\RefusalOutcome;

/**
 * Dispatched when a bucket begins to refuse events, or when Redis begins to refuse the events of a bucket. It is
 * dispatched once per incident, and again during the incident for each new kind of failure or outcome.
 */
final readonly class BufferRefused
{
    /** @param int $count events of the refused call; spool:status has the sum of all calls */
    public function __construct(
        public string $bucket,
        public AppendFailure $failure,
        public RefusalOutcome $outcome,
        public int $count,
    ) {}
}
