<?php

declare(strict_types=1);

namespace Headroom\Spool\DeadLetters;

use Headroom\Core\Position;
use Headroom\Spool\Store\CorruptDeadLetter;
use Headroom\Spool\Store\DeadLetter;
use Headroom\Spool\UnableToFlush;

/**
 * The operations on a bucket's dead letters.
 *
 * @internal
 */
interface DeadLetterQueue extends ListedLetters
{
    /**
     * @return iterable<DeadLetter|CorruptDeadLetter> in the order of the log
     *
     * @throws UnableToFlush
     */
    public function letters(): iterable;

    /**
     * Appends the events of the letters to the log again. Each event keeps its id.
     *
     * @param list<Position> $positions
     * @return int number of letters that existed and were retried
     *
     * @throws UnableToFlush
     */
    public function retry(array $positions): int;

    /**
     * @param list<Position> $positions
     * @return int number of letters that existed and were forgotten
     *
     * @throws UnableToFlush
     */
    public function forget(array $positions): int;
}
