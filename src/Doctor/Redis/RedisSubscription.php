<?php

declare(strict_types=1);

namespace Headroom\Doctor\Redis;

/**
 * @internal
 */
final readonly class RedisSubscription
{
    /**
     * @param ?string $connection of database.redis; null if the code computes it
     * @param string $place file:line below the base path
     * @param bool $setsDefault whether the file sets default_socket_timeout itself
     */
    public function __construct(public ?string $connection, public string $place, public bool $setsDefault) {}
}
