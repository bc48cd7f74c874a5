<?php

declare(strict_types=1);

namespace Headroom\Sink;

/**
 * Whose log a delivery comes from: one bucket on one disk.
 */
final readonly class Source
{
    /** @param string $node names the disk the log lies on, never the host */
    public function __construct(public string $node, public string $bucket) {}

    public function toString(): string
    {
        return "{$this->node}/{$this->bucket}";
    }
}
