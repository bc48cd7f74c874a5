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
 * How much more a bucket may take: its quota, and what the disk must keep free. Looked at when a slot is begun, so that
 * an append to one that has begun pays nothing. What this can not know is how far the slots that others have begun will
 * still grow; with a quota they are kept small.
 *
 * @internal
 */
final readonly class DiskQuota
{
    private const SMALLEST_SLOT = 65_536;

    /** With this a quota is exceeded by a sixteenth at most for each writer at work. */
    private const SLOTS_IN_QUOTA = 16;

    private Layout $layout;

    /** @param string $bucket a valid name */
    public function __construct(private SpoolConfig $config, private string $bucket)
    {
        $this->layout = new Layout($config->path, $bucket);
    }

    /** The size at which a slot takes no more. */
    public static function slotBytes(int $segmentBytes, int $quota): int
    {
        return min($segmentBytes, max(self::SMALLEST_SLOT, intdiv($quota, self::SLOTS_IN_QUOTA)));
    }

    /**
     * @throws UnableToAppend
     * @throws InvalidConfig
     */
    public function refuseWithout(int $bytes): void
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

    /** @return int how many these files are */
    public function files(): int
    {
        return count(array_filter($this->sizes(), static fn (int $bytes): bool => $bytes > 0));
    }

    /** @return array<int, int> by inode: one that is sealed between the two looks is seen in both directories */
    private function sizes(): array
    {
        // They grow under other processes' hands.
        clearstatcache();
        $sizes = [];

        foreach ([$this->layout->active, $this->layout->sealed] as $directory) {
            foreach (DirectoryListing::asSeen($directory)->names() as $name) {
                // It may have been renamed since it was listed: then it is counted once, below, or delivered.
                $status = @stat("{$directory}/{$name}");

                if ($status !== false) {
                    $sizes[$status['ino']] = $status['size'];
                }
            }
        }

        return $sizes;
    }

    /** @return ?int null where the system does not tell, or the host does not let it be asked */
    public function free(): ?int
    {
        $free = PhpRestrictions::call('disk_free_space', $this->config->path);

        return is_float($free) ? (int) $free : null;
    }
}
