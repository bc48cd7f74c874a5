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
interface DeadLetterStore
{
    /**
     * Durable when it returns.
     *
     * @throws UnableToFlush
     */
    public function bury(DeadLetter $letter): void;

    /**
     * Before a flush: letters whose events are still to be delivered, because the cursor never got past them or was set
     * back, are void.
     *
     * @param bool $isBegun a range from there on was begun, and is to be handed over without the events it left out
     * @return array<string, true> events that are dead already, by place
     *
     * @throws UnableToFlush
     */
    public function settle(Position $cursor, bool $isBegun): array;

    /**
     * @return iterable<DeadLetter|CorruptDeadLetter> in the order of the log
     *
     * @throws UnableToFlush
     */
    public function before(Position $cursor): iterable;
}
