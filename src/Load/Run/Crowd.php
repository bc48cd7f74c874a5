<?php

declare(strict_types=1);

namespace Headroom\Load\Run;

use Headroom\Load\Transport\Exchange;

/**
 * Those who send, and what. Times are nanoseconds from the start of the run.
 *
 * @internal
 */
interface Crowd
{
    /** A request that has to begin by now, ready to go; null when there is none. */
    public function start(int $now): ?Exchange;

    /** One that start() has given is over. */
    public function ended(Exchange $exchange, int $now): void;

    /** When to ask again although nothing has ended; PHP_INT_MAX for never. */
    public function next(): int;
}
