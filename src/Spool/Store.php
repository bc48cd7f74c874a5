<?php

declare(strict_types=1);

namespace Headroom\Spool;

/**
 * A durable buffer: one log with one cursor per bucket.
 *
 * @internal
 */
interface Store
{
    /**
     * Any number of processes at once. Returns when the frame is durable.
     *
     * @param string $payload one line per event, joined by "\n"
     * @param int<1, 65535> $count
     *
     * @throws UnableToAppend nothing of it was accepted
     */
    public function append(string $bucket, string $payload, int $count): void;

    /**
     * Makes this process the bucket's only flusher until it releases the claim or dies, and makes everything appended
     * so far readable.
     *
     * @return ?Claim null when another process is flushing it
     *
     * @throws UnableToFlush
     */
    public function claim(string $bucket): ?Claim;

    /** @return list<string> buckets that have ever been written to, sorted */
    public function buckets(): array;
}
