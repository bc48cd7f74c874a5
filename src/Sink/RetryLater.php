<?php

declare(strict_types=1);

namespace Headroom\Sink;

use Headroom\Core\Retryable;

/**
 * The other side has said when to come again, as an HTTP server does with Retry-After.
 */
interface RetryLater extends Retryable, UnableToDeliver
{
    /** @return int<0, max> seconds from now, before which no try is made */
    public function retryAfter(): int;
}
