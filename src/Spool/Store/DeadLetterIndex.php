<?php

declare(strict_types=1);

namespace Headroom\Spool\Store;

use Headroom\Core\Position;
use Headroom\Spool\UnableToFlush;

/**
 * Lists dead letters without reading them, so that a few of many can be read.
 *
 * @internal
 */
interface DeadLetterIndex
{
    /**
     * @return list<string> positions of the letters before the cursor, as text, in the order of the log
     *
     * @throws UnableToFlush
     */
    public function positionsBefore(Position $cursor): array;

    /**
     * @param list<string> $positions as positionsBefore() returns them
     * @return iterable<DeadLetter|CorruptDeadLetter> those that still exist, in that order
     *
     * @throws UnableToFlush
     */
    public function at(array $positions): iterable;

    /** @return int<0, max> events from the cursor on that were retried or forgotten; a flush skips them */
    public function countTombstonesFrom(Position $cursor): int;
}
