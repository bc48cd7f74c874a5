<?php

declare(strict_types=1);

namespace Headroom\Load\Run;

/**
 * Says when requests begin. Times are nanoseconds from the start of the run.
 *
 * @internal
 */
interface Pace
{
    /** Takes the next request that has to have begun by now: when it should have begun. Null when there is none. */
    public function due(int $now): ?int;

    /** One that had begun has ended. */
    public function ended(int $now): void;

    /** When to ask again although nothing has ended; PHP_INT_MAX for never. */
    public function next(): int;
}
