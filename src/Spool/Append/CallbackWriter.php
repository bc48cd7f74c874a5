<?php

declare(strict_types=1);

namespace Headroom\Spool\Append;

use Closure;
use Headroom\Spool\Store\Writer;

/**
 * A writer that passes each payload to a closure. The closure calls the sink, waits for a transaction's commit, or
 * records the payload for a test.
 *
 * @internal
 */
final readonly class CallbackWriter implements Writer
{
    /** @param Closure(string, int<1, max>): void $to receives the payload and its number of events */
    public function __construct(private Closure $to) {}

    public function append(string $payload, int $count): void
    {
        ($this->to)($payload, $count);
    }

    public function keepSegmentOpen(?Closure $whenOpened = null): void {}

    public function closeSegment(): void {}
}
