<?php

declare(strict_types=1);

namespace Headroom\Doctor\Facts\Redis;

use Headroom\Doctor\HasUnread;
use Headroom\Doctor\UnknownFact;

/**
 * Where the Redis servers are that are looked at: those that the application uses,
 * or those that the command line names.
 *
 * @internal
 */
final readonly class RedisAddresses implements HasUnread
{
    /**
     * @param list<RedisAddress> $all
     * @param array<string, UnknownFact> $unread why others are not looked at, by their names
     */
    public function __construct(public array $all, private array $unread = []) {}

    public function unread(): array
    {
        return $this->unread;
    }
}
