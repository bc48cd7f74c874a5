<?php

declare(strict_types=1);

namespace Headroom\Spool\FileStore\Segment;

/**
 * A slot that stays open and locked between two appends.
 *
 * @internal
 */
final class OpenSegment
{
    /**
     * @param resource $file
     * @param int $size where the next frame goes
     * @param int $since microseconds
     * @param int $by the process that locked it
     * @param ?resource $reader a second handle, through which what is written is put on disk; null where it is not
     */
    public function __construct(
        public readonly mixed $file,
        public readonly string $path,
        public int $size,
        public readonly int $since,
        public readonly int $by,
        public readonly mixed $reader = null,
    ) {}
}
