<?php

declare(strict_types=1);

namespace Headroom\Spool;

use Closure;

/**
 * The end of a store that requests use. It is apart from Store, so that a request loads no more than it needs.
 *
 * @internal
 */
interface Writer
{
    /**
     * Any number of processes at once. Returns when the frame is durable.
     *
     * @param string $bucket a valid name
     * @param string $payload one line per event, joined by "\n"
     * @param int<1, 65535> $count
     *
     * @throws UnableToAppend nothing of it was accepted
     */
    public function append(string $bucket, string $payload, int $count): void;

    /**
     * From now on appends may keep open what they opened; whoever calls this calls release() for sure.
     *
     * @param ?Closure(): void $whenKept called once, when that has happened: until then there is nothing to release
     */
    public function keep(?Closure $whenKept = null): void;

    public function release(): void;
}
