<?php

declare(strict_types=1);

namespace Headroom\Sink;

use Headroom\Core\Position;

/**
 * The log that a delivery comes from: one bucket on one disk.
 */
final readonly class Source
{
    /** @param string $node id of the disk that holds the log; a host name would change while the log stays */
    public function __construct(public string $node, public string $bucket) {}

    /**
     * The id of an event that has none of its own. Two copies of a log may give the same position to different events;
     * the time tells them apart.
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
