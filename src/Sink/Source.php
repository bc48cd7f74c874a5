<?php

declare(strict_types=1);

namespace Headroom\Sink;

use Headroom\Core\Position;

/**
 * Whose log a delivery comes from: one bucket on one disk.
 */
final readonly class Source
{
    /** @param string $node names the disk the log lies on, never the host */
    public function __construct(public string $node, public string $bucket) {}

    /**
     * Of an event that brought none. Two copies of a log that went different ways give one place to two events; their times
     * tell them apart.
     *
     * @param int $acceptedAt microseconds since the Unix epoch
     */
    public function idOf(Position $position, int $acceptedAt): string
    {
        return "{$this->toString()}/{$position->toString()}/{$acceptedAt}";
    }

    public function toString(): string
    {
        return "{$this->node}/{$this->bucket}";
    }
}
