<?php

declare(strict_types=1);

namespace Headroom\Spool\FileStore\Segment;

/**
 * Frames of events that lie behind each other in a segment.
 *
 * @internal
 */
final readonly class FrameRun
{
    /**
     * @param non-empty-list<int<0, max>> $offsets where each begins, and where the last one ends
     * @param non-empty-list<int<1, 65535>> $counts events in each
     * @param non-empty-list<int> $times when each was accepted, microseconds since the Unix epoch
     * @param non-empty-list<string> $payloads
     */
    public function __construct(public array $offsets, public array $counts, public array $times, public array $payloads) {}
}
