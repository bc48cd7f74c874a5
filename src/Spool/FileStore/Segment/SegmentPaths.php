<?php

declare(strict_types=1);

namespace Headroom\Spool\FileStore\Segment;

use Headroom\Spool\FileStore\BufferFile;
use Headroom\Spool\FileStore\DirectoryListing;
use Headroom\Spool\FileStore\Layout;

use function array_fill_keys;

/**
 * Where a bucket's segments lie. Few are sealed, and an hour's are completed: these are listed only when one is asked for that is in
 * neither place.
 *
 * @internal
 */
final class SegmentPaths
{
    /** @var array<int, true> by sequence number */
    private readonly array $sealed;

    /** @var ?array<int, true> null until they are listed */
    private ?array $completed = null;

    public function __construct(private readonly Layout $layout)
    {
        $this->sealed = array_fill_keys((new DirectoryListing($layout->sealed))->segments(), true);
    }

    /**
     * @param int<1, max> $sequence
     * @return ?string null when it is nowhere
     */
    public function find(int $sequence): ?string
    {
        if (isset($this->sealed[$sequence])) {
            return $this->layout->sealedSegment($sequence);
        }

        // A database that was restored asks for what is completed here already.
        $path = $this->layout->completedSegment($sequence);

        if ($this->completed === null && BufferFile::isThere($path)) {
            return $path;
        }

        // Only who may list a directory is told by it that something is not there.
        $this->completed ??= array_fill_keys((new DirectoryListing($this->layout->completed))->segments(), true);

        return isset($this->completed[$sequence]) ? $path : null;
    }
}
