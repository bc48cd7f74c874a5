<?php

declare(strict_types=1);

namespace Headroom\Spool\Store;

use Closure;
use Headroom\Spool\UnableToAppend;

/**
 * The end of a bucket that requests use. It is apart from Store, so that a request loads no more than it needs.
 *
 * @internal
 */
interface Writer
{
    /**
     * Any number of processes at once. Returns when the frame is durable.
     *
     * @param string $payload one line of JSON per event, joined by "\n"
     * @param int<1, 65535> $count events in it
     *
     * @throws UnableToAppend nothing of it was accepted
     */
    public function append(string $payload, int $count): void;

    /**
     * From now on, and from the second append on, it may keep open what it opened.
     *
     * @param ?Closure(): void $whenKept called each time it begins to
     */
    public function keep(?Closure $whenKept = null): void;

    public function release(): void;
}
