<?php

declare(strict_types=1);

namespace Headroom\Spool\Status;

/**
 * Events of a bucket that its buffer did not take.
 */
final readonly class Backpressure
{
    /**
     * @param int $direct accepted and delivered events that went directly to the sink because the buffer could not take
     *     them
     * @param int $bypassed accepted and delivered events that went directly to the sink because of Buffer::direct() or
     *     `enabled`
     * @param array<string, int> $droppedByReason by failure, or `rolled_back`
     * @param array<string, int> $refusedByReason events whose caller got an exception, by failure; they were never
     *     accepted
     * @param ?string $refusing why the bucket refuses events now; null when the last refusal is more than a minute old
     */
    public function __construct(
        public int $direct = 0,
        public int $bypassed = 0,
        public array $droppedByReason = [],
        public array $refusedByReason = [],
        public ?string $refusing = null,
    ) {}
}
