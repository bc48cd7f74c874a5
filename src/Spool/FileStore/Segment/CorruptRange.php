<?php

declare(strict_types=1);

namespace Headroom\Spool\FileStore\Segment;

/**
 * Bytes of a segment that are no valid frame.
 *
 * @internal
 */
final readonly class CorruptRange
{
    /**
     * @param int<0, max> $offset
     * @param int<0, max> $end
     * @param bool $torn a frame that was never written whole, so never acknowledged; else the bytes are damage to what may have been
     */
    public function __construct(public int $offset, public int $end, public bool $torn) {}

    public function bytes(): int
    {
        return $this->end - $this->offset;
    }
}
