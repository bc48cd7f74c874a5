<?php

declare(strict_types=1);

namespace Headroom\Sink;

use Headroom\Core\Retryable;

/**
 * The server named the time of the next attempt, for example in the header Retry-After.
 */
interface RetryLater extends Retryable, UnableToDeliver
{
    /** @return int<0, max> seconds from now in which the flusher does not retry */
    public function retryAfter(): int;
}
