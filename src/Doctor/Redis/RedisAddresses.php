<?php

declare(strict_types=1);

namespace Headroom\Doctor\Redis;

use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\PartialFact;

/**
 * Where the Redis servers are that are looked at: those that the application uses,
 * or those that the command line names.
 *
 * @internal
 */
final readonly class RedisAddresses implements PartialFact
{
    /**
     * @param list<RedisAddress> $all
     * @param array<string, FactUnavailable> $unread why others are not looked at, by their names
     */
    public function __construct(public array $all, private array $unread = []) {}

    public function unread(): array
    {
        return $this->unread;
    }
}
