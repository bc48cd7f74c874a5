<?php

declare(strict_types=1);

namespace Headroom\Spool\FileStore\Segment;

/**
 * A slot or a segment, as it was seen at one moment.
 *
 * @internal
 */
final readonly class SegmentInfo
{
    /**
     * @param string $path where it was then; a flush renames it
     * @param int<0, max> $sequence 0 for a slot
     * @param int<0, max> $size what is written behind it later is none of that moment's
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
