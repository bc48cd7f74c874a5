<?php

declare(strict_types=1);

namespace Headroom\Spool\Append;

use Closure;
use Headroom\Spool\UnableToAppend;

/**
 * The closures for events that do not go into the buffer now. They are created when the first such event occurs:
 * docs/adr/0005.
 *
 * @internal
 */
final readonly class OverflowHandlers
{
    /**
     * @param Closure(string, UnableToAppend, string, int<1, max>): void $refused applies the bucket's overflow option
     *     to events that the buffer could not take; gets the bucket, the reason, the payload and its number of events
     * @param Closure(string, string, int<1, max>): void $deliver delivers a payload to the bucket's sink at once; gets
     *     the bucket, the payload and its number of events
     * @param ?Closure(Closure(): void, ?string): void $defer calls the first argument when the transaction that is open
     *     on the named connection commits; null where there are no transactions
     */
    public function __construct(public Closure $refused, public Closure $deliver, public ?Closure $defer = null) {}
}
