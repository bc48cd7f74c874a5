<?php

declare(strict_types=1);

namespace Headroom\Spool\FileStore\Segment;

/**
 * @internal
 */
final readonly class LockedSegment
{
    /**
     * @param int $idleSeconds since the last write
     * @param ?int $pid null where the system does not tell
     */
    public function __construct(public string $name, public int $idleSeconds, public ?int $pid) {}
}
