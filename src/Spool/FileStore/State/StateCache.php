<?php

declare(strict_types=1);

namespace Headroom\Spool\FileStore\State;

use Headroom\Spool\UnableToFlush;
use Headroom\Support\RegularFile;

/**
 * How this process left the state files of its buckets. A bucket whose state nobody has written since needs no second
 * look at all that it has completed, which is a few thousand files after an hour, and would be listed each second.
 *
 * A crash ends the process and with it this knowledge, so that whoever comes then looks at everything.
 *
 * @internal
 */
final class StateCache
{
    /** @var array<string, array{?int, int}> inode and generation, by path of the state file */
    private array $seen = [];

    /** @throws UnableToFlush */
    public function isAsLeft(string $path, StateFile $state): bool
    {
        // The inode, since another buffer may have come to lie at this path, with as many writes behind it.
        return isset($this->seen[$path][0]) && $this->seen[$path] === [RegularFile::inode($path), $state->found()];
    }

    /** @param bool $agrees whether it tells the truth about what is sealed */
    public function leave(string $path, StateFile $state, bool $agrees): void
    {
        if ($agrees) {
            $this->seen[$path] = [RegularFile::inode($path), $state->generation()];
        } else {
            unset($this->seen[$path]);
        }
    }
}
