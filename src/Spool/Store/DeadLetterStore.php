<?php

declare(strict_types=1);

namespace Headroom\Spool\Store;

use Headroom\Core\Position;
use Headroom\Spool\UnableToFlush;

/**
 * Events of a bucket that its sink refused, each kept whole. A letter counts once the cursor is past its event.
 *
 * @internal
 */
interface DeadLetterStore extends DeadLetterIndex
{
    /**
     * Returns once the letter is durable.
     *
     * @throws UnableToFlush
     */
    public function add(DeadLetter $letter): void;

    /**
     * Called before a flush. Removes the letters of events that are yet to be delivered, because the cursor never
     * passed them or was set back.
     *
     * @param bool $isResent a range from the cursor on was sent before, and is sent again without the events that it
     *     left out
     * @return array<string, true> events that are dead already, by position
     *
     * @throws UnableToFlush
     */
    public function discardVoid(Position $cursor, bool $isResent): array;

    /**
     * @return iterable<DeadLetter|CorruptDeadLetter> in the order of the log
     *
     * @throws UnableToFlush
     */
    public function before(Position $cursor): iterable;
}
