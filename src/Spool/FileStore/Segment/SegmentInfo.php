<?php

declare(strict_types=1);

namespace Headroom\Spool\FileStore\Segment;

/**
 * An active or a sealed segment, as it was at one moment.
 *
 * @internal
 */
final readonly class SegmentInfo
{
    /**
     * @param string $path path at that moment; a flush renames the file
     * @param int<0, max> $sequence 0 for an active segment
     * @param int<0, max> $size size at that moment; later appends are ignored
     */
    public function __construct(public string $path, public int $sequence, public int $inode, public int $size) {}

    public function name(): string
    {
        return basename($this->path);
    }

    public function isSlot(): bool
    {
        return $this->sequence === 0;
    }
}
