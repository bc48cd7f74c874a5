<?php

declare(strict_types=1);

namespace Headroom\Spool\FileStore\Segment;

/**
 * An active segment that a process holds locked.
 *
 * @internal
 */
final readonly class LockedSegment
{
    /**
     * @param int $idleSeconds seconds since the last write
     * @param ?int $pid process that holds the lock; null when the system does not report it
     */
    public function __construct(public string $name, public int $idleSeconds, public ?int $pid) {}
}
