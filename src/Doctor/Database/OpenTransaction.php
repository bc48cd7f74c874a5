<?php

declare(strict_types=1);

namespace Headroom\Doctor\Database;

/**
 * One that has begun and not ended. Its SQL is not kept: it may hold what users wrote.
 *
 * @internal
 */
final readonly class OpenTransaction
{
    public function __construct(public string $id, public float $seconds, public string $state) {}
}
