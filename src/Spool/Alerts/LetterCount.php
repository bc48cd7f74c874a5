<?php

declare(strict_types=1);

namespace Headroom\Spool\Alerts;

/**
 * Numbers of dead letters of a bucket.
 *
 * @internal
 */
final readonly class LetterCount
{
    /**
     * @param int $letters that lie there now
     * @param int $dead events that ever became one, without those that were retried
     */
    public function __construct(public int $letters = 0, public int $dead = 0) {}

    /** Letters that were retried or forgotten since do not hide new ones. */
    public function least(self $other): self
    {
        return new self(min($this->letters, $other->letters), min($this->dead, $other->dead));
    }

    public function exceeds(self $other): bool
    {
        return $this->letters > $other->letters || ($this->letters > 0 && $this->dead > $other->dead);
    }
}
