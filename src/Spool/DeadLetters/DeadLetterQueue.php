<?php

declare(strict_types=1);

namespace Headroom\Spool\DeadLetters;

use Headroom\Core\Position;
use Headroom\Spool\Store\CorruptDeadLetter;
use Headroom\Spool\Store\DeadLetter;
use Headroom\Spool\UnableToFlush;

/**
 * What an operator does with a bucket's dead letters.
 *
 * @internal
 */
interface DeadLetterQueue
{
    /**
     * @return iterable<DeadLetter|CorruptDeadLetter> in the order of the log
     *
     * @throws UnableToFlush
     */
    public function letters(): iterable;

    /**
     * Puts their events into the log again, behind all that is there. Each keeps its id.
     *
     * @param list<Position> $positions
     * @return int how many were there to be retried
     *
     * @throws UnableToFlush
     */
    public function retry(array $positions): int;

    /**
     * @param list<Position> $positions
     * @return int how many were there to be forgotten
     *
     * @throws UnableToFlush
     */
    public function forget(array $positions): int;
}
