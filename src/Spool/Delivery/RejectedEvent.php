<?php

declare(strict_types=1);

namespace Headroom\Spool\Delivery;

use Headroom\Core\Position;
use Headroom\Sink\Delivery;

/**
 * An event that is not handed to the sink again.
 *
 * @internal
 */
final readonly class RejectedEvent
{
    /**
     * @param ?string $reason null when it has its letter already
     * @param bool $isTelling the sink refused it, and for the first time: that may tell of the sink
     * @param bool $isUnreadable no sink has seen it
     */
    public function __construct(
        public Position $from,
        public Position $position,
        public Position $end,
        public ?string $reason,
        public bool $isTelling = false,
        public bool $isUnreadable = false,
    ) {}

    /**
     * @param Delivery $single of one event
     * @param mixed $reason as the sink gave it
     */
    public static function of(Delivery $single, mixed $reason): self
    {
        $record = $single->batch->record(0);

        // An id of its own is that of an event that was dead before and is retried.
        return new self($single->from, $record->position, $single->to, FailureReason::ofDeath($reason), isTelling: $record->ownId === null);
    }
}
