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
     * Makes this process the bucket's only flusher until it releases the claim or dies.
     *
     * @return ?ConsumerLease null when another process is flushing it
     *
     * @throws UnableToFlush
     */
    public function claim(string $bucket): ?ConsumerLease;

    /**
     * @return list<string> buckets that have ever been written to, sorted
     *
     * @throws UnableToFlush they are out of this user's sight
     */
    public function buckets(): array;

    /**
     * Somebody has asked for it not to be delivered for now.
     *
     * @param string $bucket a valid name
     *
     * @throws UnableToFlush it can not be known
     */
    public function isPaused(string $bucket): bool;
}
