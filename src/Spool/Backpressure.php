<?php

declare(strict_types=1);

namespace Headroom\Spool;

/**
 * Events of a bucket that its buffer did not take.
 */
final readonly class Backpressure
{
    /**
     * @param int $direct of the accepted and delivered events, those that the sink took because the buffer could not
     * @param int $bypassed of them, those that the caller, or `enabled`, sent to the sink
     * @param array<string, int> $droppedByReason a failure, or rolled_back
     * @param array<string, int> $refusedByReason events whose caller got an exception, by failure; never accepted
     * @param ?string $refusing why the bucket refuses events now; null when the last refusal is over a minute old
     */
    public function __construct(
        public int $direct = 0,
        public int $bypassed = 0,
        public array $droppedByReason = [],
        public array $refusedByReason = [],
        public ?string $refusing = null,
    ) {}
}
