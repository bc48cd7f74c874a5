<?php

declare(strict_types=1);

namespace Headroom\Tests\Fault\Support;

use Headroom\Core\Position;
use Headroom\Spool\Store\DeadLetter;
use Headroom\Spool\Store\DeadLetterStore;

/**
 * Counts how often a letter is asked to be written.
 */
final class CountedLetters implements DeadLetterStore
{
    public int $buried = 0;

    public function __construct(private readonly DeadLetterStore $letters) {}

    public function add(DeadLetter $letter): void
    {
        $this->buried++;
        $this->letters->add($letter);
    }

    public function discardVoid(Position $cursor, bool $isResent): array
    {
        return $this->letters->discardVoid($cursor, $isResent);
    }

    public function countTombstonesFrom(Position $cursor): int
    {
        return $this->letters->countTombstonesFrom($cursor);
    }

    public function before(Position $cursor): iterable
    {
        return $this->letters->before($cursor);
    }

    public function positionsBefore(Position $cursor): array
    {
        return $this->letters->positionsBefore($cursor);
    }

    public function at(array $positions): iterable
    {
        return $this->letters->at($positions);
    }
}
