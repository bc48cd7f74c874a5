<?php

declare(strict_types=1);

namespace Headroom\Spool\RedisStore\Client;

/**
 * A client or a connection that knows how long it waits for a reply.
 *
 * @internal
 */
interface HasReadTimeout
{
    /**
     * @return float seconds; 0 means no limit
     *
     * @throws RedisFailure when it must connect to know the timeout, and cannot
     */
    public function readTimeout(): float;
}
