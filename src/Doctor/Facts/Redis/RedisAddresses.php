<?php

declare(strict_types=1);

namespace Headroom\Doctor\Facts\Redis;

/**
 * Where the Redis servers are that are looked at: those that the application uses, or those that the command line names.
 *
 * @internal
 */
final readonly class RedisAddresses
{
    /** @param list<RedisAddress> $all */
    public function __construct(public array $all) {}
}
