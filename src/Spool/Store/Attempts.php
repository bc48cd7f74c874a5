<?php

declare(strict_types=1);

namespace Headroom\Spool\Store;

use Headroom\Core\Position;

/**
 * How often in a row the handling of one event has failed.
 *
 * @internal
 */
final readonly class Attempts
{
    /** @param int<1, max> $times */
    public function __construct(public Position $position, public int $times) {}

    /** Once more, if it is the same event. */
    public static function again(?self $before, Position $position): self
    {
        return new self($position, $before?->position->equals($position) === true ? $before->times + 1 : 1);
    }

    /** The last one does not count. */
    public function before(): ?self
    {
        return $this->times === 1 ? null : new self($this->position, $this->times - 1);
    }
}
