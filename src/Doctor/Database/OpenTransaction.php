<?php

declare(strict_types=1);

namespace Headroom\Doctor\Database;

/**
 * An open transaction without its SQL, which may contain data of users.
 *
 * @internal
 */
final readonly class OpenTransaction
{
    public function __construct(public string $id, public float $seconds, public string $state) {}
}
