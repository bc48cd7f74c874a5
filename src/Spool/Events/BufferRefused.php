<?php

declare(strict_types=1);

namespace Headroom\Spool\Events;

use Headroom\Spool\AppendFailure;
use Headroom\Spool\RefusalOutcome;

/**
 * A bucket has begun to refuse events, or Redis to refuse a bucket's. Once per incident, and once more in it for each failure and outcome that is new.
 */
final readonly class BufferRefused
{
    /** @param int $count events of the call that was refused; spool:status has the sum */
    public function __construct(
        public string $bucket,
        public AppendFailure $failure,
        public RefusalOutcome $outcome,
        public int $count,
    ) {}
}
