<?php

declare(strict_types=1);

namespace Headroom\Doctor\Database;

/**
 * Transactions that wait for rows of one table.
 *
 * @internal
 */
final readonly class RowLockWait
{
    /**
     * @param int $looks with two or more waiting ones
     * @param int $most that waited at once
     */
    public function __construct(public int $looks, public int $most) {}

    public function seen(int $waiting): self
    {
        return new self($this->looks + ($waiting >= 2 ? 1 : 0), max($this->most, $waiting));
    }
}
