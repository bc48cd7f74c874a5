<?php

declare(strict_types=1);

namespace Headroom\Spool\Store;

use Headroom\Spool\UnableToFlush;

/**
 * A durable buffer: one log with one cursor per bucket.
 *
 * @internal
 */
interface Store
{
    /**
     * Makes this process the bucket's only flusher until it closes the lease or ends.
     *
     * @return ?ConsumerLease null when another process is flushing it
     *
     * @throws UnableToFlush
     */
    public function claim(string $bucket): ?ConsumerLease;

    /**
     * @return list<string> buckets that have ever been written to, sorted
     *
     * @throws UnableToFlush this user cannot read them
     */
    public function buckets(): array;

    /**
     * Whether the bucket is paused.
     *
     * @param string $bucket a valid name
     *
     * @throws UnableToFlush the pause cannot be read
     */
    public function isPaused(string $bucket): bool;
}
