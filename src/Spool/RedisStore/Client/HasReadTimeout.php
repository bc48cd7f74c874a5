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
     * @return float seconds; 0 is without end
     *
     * @throws RedisFailure where it must connect to know it
     */
    public function readTimeout(): float;
}
