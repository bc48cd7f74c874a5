<?php

declare(strict_types=1);

namespace Headroom\Spool\FileStore\Segment;

/**
 * A range of bytes in a segment that holds no valid frame.
 *
 * @internal
 */
final readonly class CorruptRange
{
    /**
     * @param int<0, max> $offset
     * @param int<0, max> $end
     * @param bool $torn true for a frame that was never written whole, so its append was never acknowledged; false for
     *     damage to bytes that may have held acknowledged events
     */
    public function __construct(public int $offset, public int $end, public bool $torn) {}

    public function bytes(): int
    {
        return $this->end - $this->offset;
    }
}
