<?php

declare(strict_types=1);

namespace Headroom\Doctor\Redis;

/**
 * An entry of SLOWLOG without its arguments, which are keys and values of users.
 *
 * @internal
 */
final readonly class SlowCommand
{
    public function __construct(public string $name, public int $micros) {}
}
