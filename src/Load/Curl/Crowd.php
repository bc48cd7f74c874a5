<?php

declare(strict_types=1);

namespace Headroom\Load\Curl;

use CurlHandle;

/**
 * Those who send, and what. Times are nanoseconds from the start of the run.
 *
 * @internal
 */
interface Crowd
{
    /** A request that has to begin by now, ready to go; null when there is none. */
    public function start(int $now): ?CurlHandle;

    /** @param int $code a CURLE_* */
    public function ended(CurlHandle $handle, int $code, int $now): void;

    /** When to ask again although nothing has ended; PHP_INT_MAX for never. */
    public function next(): int;
}
