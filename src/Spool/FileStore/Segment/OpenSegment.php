<?php

declare(strict_types=1);

namespace Headroom\Spool\FileStore\Segment;

/**
 * An active segment that its writer keeps open and locked between two appends.
 *
 * @internal
 */
final class OpenSegment
{
    /**
     * @param resource $file
     * @param int $size size of the file, and the offset of the next frame
     * @param int $since when the writer opened it, in microseconds
     * @param int $pid process that locked it; 0 where the process cannot fork
     * @param ?resource $reader a second handle, through which each append is synced; null when appends are not synced
     */
    public function __construct(
        public readonly mixed $file,
        public readonly string $path,
        public int $size,
        public readonly int $since,
        public readonly int $pid,
        public readonly mixed $reader = null,
    ) {}
}
