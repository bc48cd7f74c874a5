<?php

declare(strict_types=1);

namespace Headroom\Spool\FileStore\Segment;

use Headroom\Spool\FileStore\DirectoryListing;
use Headroom\Spool\FileStore\Layout;
use Headroom\Spool\SpoolConfig;
use Headroom\Spool\UnableToAppend;
use Headroom\Support\InvalidConfig;
use Headroom\Support\PhpRestrictions;

/**
 * Limits how much a bucket stores: by its quota, and by the bytes that the disk must keep free. A writer checks both
 * when it begins a segment, so that an append to an existing segment costs nothing. The check cannot know how far the
 * segments of other writers will still grow; with a quota, segments are kept small.
 *
 * @internal
 */
final readonly class DiskQuota
{
    private const MIN_SEGMENT_BYTES = 65_536;

    /** Each running writer can exceed the quota by at most a sixteenth of it. */
    private const SEGMENTS_IN_QUOTA = 16;

    private Layout $layout;

    /** @param string $bucket a valid name */
    public function __construct(private SpoolConfig $config, private string $bucket)
    {
        $this->layout = new Layout($config->path, $bucket);
    }

    /** The size at which a writer leaves its segment to the sealer. */
    public static function maxSegmentBytes(int $segmentBytes, int $quota): int
    {
        return min($segmentBytes, max(self::MIN_SEGMENT_BYTES, intdiv($quota, self::SEGMENTS_IN_QUOTA)));
    }

    /**
     * @throws UnableToAppend
     * @throws InvalidConfig
     */
    public function requireSpaceFor(int $bytes): void
    {
        $quota = $this->config->maxBytes($this->bucket);
        $used = $quota === null ? 0 : $this->used();

        if ($quota !== null && $used + $bytes > $quota) {
            throw UnableToAppend::quotaReached($this->layout->directory, $used, $bytes, $quota);
        }

        $reserve = $this->config->minFreeBytes();
        $free = $reserve === 0 ? null : $this->free();

        if ($free !== null && $free - $bytes < $reserve) {
            throw UnableToAppend::reserveReached($this->layout->directory, $free, $bytes, $reserve);
        }
    }

    /** @return int bytes of the files with events that are not delivered yet */
    public function used(): int
    {
        return array_sum($this->sizes());
    }

    /** @return int number of the files with events that are not delivered yet */
    public function files(): int
    {
        return count(array_filter($this->sizes(), static fn (int $bytes): bool => $bytes > 0));
    }

    /**
     * @return array<int, int> by inode, because a segment that is sealed between the two listings is in both of them
     */
    private function sizes(): array
    {
        // Other processes append to these files, so PHP's cached sizes may be too small.
        clearstatcache();
        $sizes = [];

        foreach ([$this->layout->active, $this->layout->sealed] as $directory) {
            foreach (DirectoryListing::asSeen($directory)->names() as $name) {
                // A file that was renamed since the listing is found in the next directory, or its events are
                // delivered.
                $status = @stat("{$directory}/{$name}");

                if ($status !== false) {
                    $sizes[$status['ino']] = $status['size'];
                }
            }
        }

        return $sizes;
    }

    /** @return ?int null when the system does not report the free space, or the host has disabled the function */
    public function free(): ?int
    {
        $free = PhpRestrictions::call('disk_free_space', $this->config->path);

        return is_float($free) ? (int) $free : null;
    }
}
