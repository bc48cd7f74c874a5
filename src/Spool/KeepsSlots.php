<?php

declare(strict_types=1);

namespace Headroom\Spool;

/**
 * A store that is faster when it may keep what an append opened.
 *
 * @internal
 */
interface KeepsSlots
{
    /** From now on appends may keep what they opened; whoever calls this calls release() for sure. */
    public function keep(): void;

    public function release(): void;
}
