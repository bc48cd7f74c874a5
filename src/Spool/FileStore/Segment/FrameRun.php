<?php

declare(strict_types=1);

namespace Headroom\Spool\FileStore\Segment;

/**
 * Consecutive frames of events in a segment.
 *
 * @internal
 */
final readonly class FrameRun
{
    /**
     * @param non-empty-list<int<0, max>> $offsets where each frame begins, and where the last one ends
     * @param non-empty-list<int<1, 65535>> $counts number of events in each frame
     * @param non-empty-list<int> $times when each frame was accepted, in microseconds since the Unix epoch
     * @param non-empty-list<string> $payloads
     */
    public function __construct(public array $offsets, public array $counts, public array $times, public array $payloads) {}
}
