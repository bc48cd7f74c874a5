<?php

declare(strict_types=1);

namespace Headroom\Doctor\Redis;

use Headroom\Doctor\FactUnavailable;
use Headroom\Doctor\PartialFact;

/**
 * The addresses of the examined Redis servers: those of the application, or those of the command line.
 *
 * @internal
 */
final readonly class RedisAddresses implements PartialFact
{
    /**
     * @param list<RedisAddress> $all
     * @param array<string, FactUnavailable> $unread the reasons why others are not examined, by name
     */
    public function __construct(public array $all, private array $unread = []) {}

    public function unread(): array
    {
        return $this->unread;
    }
}
