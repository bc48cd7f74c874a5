<?php

declare(strict_types=1);

namespace Headroom\Spool\Append;

use Closure;
use Headroom\Spool\Store\Writer;

/**
 * A writer that hands on what it gets: to the sink, to a transaction's end, or to a test.
 *
 * @internal
 */
final readonly class CallbackWriter implements Writer
{
    /** @param Closure(string, int<1, max>): void $to gets the payload and its number of events */
    public function __construct(private Closure $to) {}

    public function append(string $payload, int $count): void
    {
        ($this->to)($payload, $count);
    }

    public function keep(?Closure $whenKept = null): void {}

    public function release(): void {}
}
