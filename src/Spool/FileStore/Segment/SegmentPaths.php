<?php

declare(strict_types=1);

namespace Headroom\Spool\FileStore\Segment;

use Headroom\Spool\FileStore\DirectoryListing;
use Headroom\Spool\FileStore\Layout;
use Headroom\Support\RegularFile;

use function array_fill_keys;

/**
 * Finds a bucket's segments by number. Few segments are sealed at a time, while the completed segments of the last hour
 * are kept. The directory of the completed ones is listed only when a segment is found in neither place.
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
     * @return ?string null when the segment does not exist
     */
    public function find(int $sequence): ?string
    {
        if (isset($this->sealed[$sequence])) {
            return $this->layout->sealedSegment($sequence);
        }

        // A restored database asks for segments that are completed here already.
        $path = $this->layout->completedSegment($sequence);

        if ($this->completed === null && RegularFile::exists($path)) {
            return $path;
        }

        // A file also seems to be missing if this user has no access to its directory. In that case the listing throws.
        $this->completed ??= array_fill_keys((new DirectoryListing($this->layout->completed))->segments(), true);

        return isset($this->completed[$sequence]) ? $path : null;
    }
}
