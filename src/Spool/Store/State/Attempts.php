<?php

declare(strict_types=1);

namespace Headroom\Spool\Store\State;

use Headroom\Core\Position;

/**
 * The number of consecutive failed attempts to deliver one event.
 *
 * @internal
 */
final readonly class Attempts
{
    /** @param int<1, max> $times */
    public function __construct(public Position $position, public int $times) {}

    /** Adds an attempt for the same event, and starts at 1 for another event. */
    public static function next(?self $before, Position $position): self
    {
        return new self($position, $before?->position->equals($position) === true ? $before->times + 1 : 1);
    }

    /** Returns the attempts without the last one; null when it was the first. */
    public function before(): ?self
    {
        return $this->times === 1 ? null : new self($this->position, $this->times - 1);
    }
}
