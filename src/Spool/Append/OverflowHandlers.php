<?php

declare(strict_types=1);

namespace Headroom\Spool\Append;

use Closure;
use Headroom\Spool\UnableToAppend;

/**
 * Where events go that do not go into the buffer now. Made when the first one does not: docs/adr/0005.
 *
 * @internal
 */
final readonly class OverflowHandlers
{
    /**
     * @param Closure(string, UnableToAppend, string, int<1, max>): void $refused does as the bucket's overflow setting says with what the buffer could not take: bucket, reason, payload and its number of events
     * @param Closure(string, string, int<1, max>): void $deliver hands a bucket's payload to its sink now
     * @param ?Closure(Closure(): void, ?string): void $defer calls back when the transaction that is open on the named connection is committed; null where there are none
     */
    public function __construct(public Closure $refused, public Closure $deliver, public ?Closure $defer = null) {}
}
