<?php

declare(strict_types=1);

namespace Headroom\Spool\FileStore\State;

use Headroom\Spool\UnableToFlush;
use Headroom\Support\RegularFile;

/**
 * Remembers how this process left the state files of its buckets. If no other process has written a bucket's state
 * since, the list of its completed segments is still known. That directory has a few thousand files after an hour, and
 * a worker would list it each second.
 *
 * The memory ends with the process, so after a crash the next process lists everything.
 *
 * @internal
 */
final class StateCache
{
    /** @var array<string, array{?int, int}> inode and generation, by path of the state file */
    private array $seen = [];

    /** @throws UnableToFlush */
    public function isUnchanged(string $path, StateFile $state): bool
    {
        // The inode too, because another buffer with the same number of writes may be at this path now.
        return isset($this->seen[$path][0])
            && $this->seen[$path] === [RegularFile::inode($path), $state->initialGeneration()];
    }

    /** @param bool $agrees whether the state agrees with the directories */
    public function remember(string $path, StateFile $state, bool $agrees): void
    {
        if ($agrees) {
            $this->seen[$path] = [RegularFile::inode($path), $state->generation()];
        } else {
            unset($this->seen[$path]);
        }
    }
}
