<?php

declare(strict_types=1);

namespace Headroom\Spool\DeadLetters;

use Headroom\Spool\Store\CorruptDeadLetter;
use Headroom\Spool\Store\DeadLetter;
use Headroom\Spool\UnableToFlush;

/**
 * The dead letters of a bucket, each read when it is needed: there may be a hundred thousand.
 *
 * @internal
 */
interface ListedLetters
{
    /**
     * Lists the letters without reading them.
     *
     * @return list<string> positions as text, in the order of the log
     *
     * @throws UnableToFlush
     */
    public function positions(): array;

    /**
     * Reads letters one after another.
     *
     * @param list<string> $positions as positions() returns them
     * @return iterable<DeadLetter|CorruptDeadLetter> those that still exist, in that order
     *
     * @throws UnableToFlush
     */
    public function at(array $positions): iterable;
}
